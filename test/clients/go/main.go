// Uses the client that oapi-codegen generated from the service's document, as an integrator would.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"switchyard/client/switchyard"
)

type failure struct {
	StatusCode int    `json:"statusCode"`
	Message    string `json:"message"`
	Code       string `json:"code"`
}

type detail struct {
	ID           string  `json:"id"`
	AmountOut    *string `json:"amountOut"`
	Transactions int     `json:"transactions"`
}

type seen struct {
	IsReplayed        bool       `json:"isReplayed"`
	AmountOutExpected string     `json:"amountOutExpected"`
	Statuses          []string   `json:"statuses"`
	Pages             [][]string `json:"pages"`
	Detail            detail     `json:"detail"`
	Told              []string   `json:"told"`
	Streamed          []string   `json:"streamed"`
	Failures          []failure  `json:"failures"`
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// good returns a valid response. Any other response ends this program with its text.
func good[T any](value *T, response *http.Response, body []byte) T {
	if value == nil {
		panic(fmt.Sprintf("%s: %s", response.Status, body))
	}
	return *value
}

func say(name string, value any) {
	fmt.Println(string(must(json.Marshal(map[string]any{name: value}))))
}

var nextLink = regexp.MustCompile(`<([^>]+)>; *rel="next"`)

func nextOf(response *http.Response, name string) *string {
	link := nextLink.FindStringSubmatch(response.Header.Get("link"))
	if link == nil {
		return nil
	}
	if query := must(url.Parse(link[1])).Query(); query.Has(name) {
		value := query.Get(name)
		return &value
	}
	return nil
}

func toldOf(event switchyard.Event) string {
	switch told := must(event.ValueByDiscriminator()).(type) {
	case switchyard.DepositEvent:
		return fmt.Sprintf("%s %s", told.Type, told.Data.Id)
	case switchyard.ExecutionEvent:
		return fmt.Sprintf("%s %s", told.Type, told.Data.Id)
	case switchyard.IntentEvent:
		return fmt.Sprintf("%s %s %d", told.Type, told.Data.UserId, told.Data.Version)
	}
	panic("an event of another kind")
}

func idOf(event switchyard.Event) string {
	if told, err := event.AsDepositEvent(); err == nil {
		return told.Id
	}
	return must(event.AsExecutionEvent()).Id
}

func delivered(told []string) int {
	count := 0
	for _, each := range told {
		if strings.HasPrefix(each, "execution.success") {
			count++
		}
	}
	return count
}

func main() {
	ctx := context.Background()
	userID := os.Getenv("USER_ID")
	withKey := switchyard.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("x-api-key", os.Getenv("SWITCHYARD_API_KEY"))
		return nil
	})
	client := must(switchyard.NewClientWithResponses(os.Getenv("SWITCHYARD_URL"), withKey))
	var found seen

	intent := switchyard.DepositIntentRequest{
		UserId:             userID,
		TargetChainId:      42161,
		TargetTokenAddress: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
		TargetAddress:      "0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115",
	}
	once := "intent-of-" + userID
	idempotently := &switchyard.PutDepositIntentParams{IdempotencyKey: &once}
	first := must(client.PutDepositIntentWithResponse(ctx, idempotently, intent))
	made := good(first.JSON201, first.HTTPResponse, first.Body)
	again := must(client.PutDepositIntentWithResponse(ctx, idempotently, intent))
	found.IsReplayed = again.HTTPResponse.Header.Get("idempotent-replayed") == "true"

	simulation := must(client.SimulateDepositWithResponse(ctx, switchyard.SimulationRequest{
		UserId: userID, FromChainId: 8453, FromTokenSymbol: "USDC", AmountInAtomic: "25000000",
	}))
	found.AmountOutExpected = good(simulation.JSON200, simulation.HTTPResponse, simulation.Body).AmountOutExpectedAtomic

	say("depositAddress", made.DepositAddress)

	var executions []switchyard.UserExecution
	for arrived := 0; arrived < 2; time.Sleep(200 * time.Millisecond) {
		listed := must(client.ListUserExecutionsWithResponse(ctx, userID, &switchyard.ListUserExecutionsParams{}))
		executions = good(listed.JSON200, listed.HTTPResponse, listed.Body)
		arrived = 0
		for _, execution := range executions {
			if execution.Status == "SUCCESS" {
				arrived++
			}
		}
	}
	for _, execution := range executions {
		found.Statuses = append(found.Statuses, string(execution.Status))
	}

	one := 1
	for params := (switchyard.ListUserExecutionsParams{Limit: &one}); ; {
		page := must(client.ListUserExecutionsWithResponse(ctx, userID, &params))
		var ids []string
		for _, execution := range good(page.JSON200, page.HTTPResponse, page.Body) {
			ids = append(ids, execution.Id)
		}
		found.Pages = append(found.Pages, ids)
		if params.Cursor = nextOf(page.HTTPResponse, "cursor"); params.Cursor == nil {
			break
		}
	}

	whole := must(client.GetExecutionWithResponse(ctx, executions[0].Id, &switchyard.GetExecutionParams{}))
	execution := good(whole.JSON200, whole.HTTPResponse, whole.Body)
	found.Detail = detail{execution.Id, execution.AmountOut, len(execution.Transactions)}

	// Values that a later version of the service may send: a chain and an event type that this client does not have.
	var newer switchyard.Execution
	if err := json.Unmarshal([]byte(`{"fromChainId":10,"fromChainKey":"optimism"}`), &newer); err != nil || newer.FromChainId != 10 {
		panic(fmt.Sprintf("%v %v", newer.FromChainId, err))
	}
	var later []switchyard.Event
	if err := json.Unmarshal([]byte(`[{"id":"e","type":"execution.later","data":{"id":"d"}}]`), &later); err != nil {
		panic(err)
	}
	if other := must(later[0].AsOtherEvent()); other.Data.Id != "d" {
		panic(other.Data.Id)
	}

	two := 2
	var oldest string
	for params := (switchyard.ListEventsParams{UserId: &userID, Limit: &two}); delivered(found.Told) < 2; {
		page := must(client.ListEventsWithResponse(ctx, &params))
		events := good(page.JSON200, page.HTTPResponse, page.Body)
		if len(events) == 0 {
			time.Sleep(200 * time.Millisecond)
		} else if oldest == "" {
			oldest = idOf(events[0])
		}
		for _, event := range events {
			found.Told = append(found.Told, toldOf(event))
		}
		if next := nextOf(page.HTTPResponse, "after"); next != nil {
			params.After = next
		}
	}

	stream := must(client.StreamEvents(ctx, &switchyard.StreamEventsParams{UserId: &userID, After: &oldest}))
	defer stream.Body.Close()
	// A resumed stream may begin a little earlier.
	known := map[string]bool{oldest: true}
	lines := bufio.NewScanner(stream.Body)
	for len(found.Streamed) < len(found.Told)-1 && lines.Scan() {
		if data, isData := strings.CutPrefix(lines.Text(), "data: "); isData {
			var event switchyard.Event
			if err := json.Unmarshal([]byte(data), &event); err != nil {
				panic(err)
			}
			if id := idOf(event); !known[id] {
				known[id] = true
				found.Streamed = append(found.Streamed, toldOf(event))
			}
		}
	}

	unknown := must(client.GetExecutionWithResponse(ctx, "nothing", &switchyard.GetExecutionParams{}))
	wrong := intent
	wrong.TargetAddress = "0x1"
	refused := must(client.PutDepositIntentWithResponse(ctx, &switchyard.PutDepositIntentParams{}, wrong))
	found.Failures = []failure{
		failureOf(good(unknown.JSON404, unknown.HTTPResponse, unknown.Body), unknown.HTTPResponse),
		failureOf(good(refused.JSON400, refused.HTTPResponse, refused.Body), refused.HTTPResponse),
	}
	say("seen", found)
}

func failureOf(said switchyard.Error, response *http.Response) failure {
	return failure{said.StatusCode, said.Message, response.Header.Get("x-error-code")}
}
