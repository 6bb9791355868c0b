// Generated from the OpenAPI document, as CONTRIBUTING.md describes. Do not change it by hand.
export interface paths {
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service responds
         * @description Needs no key.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the chains
         * @description The five chains, and whether each currently works.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["listChains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens
         * @description The tokens that can be sent and received, native coins included, with the minimum amount that a deposit should have. The minimum is for information: the service does not enforce it.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["listTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deposit-intents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or update the deposit intent of a user
         * @description Gives the user a deposit address if there is none yet. The address never changes; a second call changes the destination of later deposits. A target that cannot work is refused. While its chain cannot be read, it is accepted.
         *
         *     Roles: `CLIENT`.
         */
        post: operations["putDepositIntent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/{userId}/deposit-intent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the deposit intent of a user
         * @description The current destination of this user’s deposits.
         *
         *     Roles: `CLIENT`.
         */
        get: operations["getDepositIntent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/{userId}/deposit-intent/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a deposit intent
         * @description The current version, then the replaced versions, newest first. An execution names the version that it follows. If the last listed version is above 1, earlier ones are older than the history.
         *
         *     Roles: `CLIENT`.
         */
        get: operations["listDepositIntentVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Provision the account of a user
         * @description Most integrations do not need this, because creating a deposit intent provisions the account. A repeated call returns the same account and updates its label.
         *
         *     Roles: `CLIENT`.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/{userId}/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the account of a user
         * @description The deposit address and the chains on which it can receive.
         *
         *     Roles: `CLIENT`.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/{userId}/deposit-address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show deposit instructions for a user
         * @description The address, the accepted tokens of each chain with their minimum amounts, and links for wallets. Show them to the person about to send.
         *
         *     Roles: `CLIENT`.
         */
        get: operations["getDepositAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{address}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that an address is the registry’s account
         * @description `address == last 20 bytes of keccak256(0xff ++ registryAddress ++ accountSalt ++ keccak256(initCode))`. You may hand it to the end user.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["getAccountProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/{userId}/deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deposits of a user
         * @description Newest first. An unknown user has an empty list.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["listUserDeposits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deposits of the organization
         * @description Newest first unless `order` is `oldest`. All filters must match. Unlisted tokens (UNSUPPORTED) appear only if you filter by stage, token or hash.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["listDeposits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deposits/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a deposit with its history
         * @description The deposit as in the lists, with its state and its history.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["getDeposit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deposits/rescan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find a deposit that is not showing
         * @description Reads the transaction from the chain now and records its deposits, as the scanner would. It is safe to repeat. A transfer to another organization’s address is not shown. A deposit of an unlisted token (stage UNSUPPORTED) is then routed; `depositId` accepts only such a deposit. It ends in FAILED_INVALID_INPUT if the token cannot be routed.
         *
         *     Roles: `CLIENT`, `OPERATOR`. Rate class `X`.
         */
        post: operations["rescanDeposit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find anything by hash, address, user, amount or id
         * @description Accepts the hash of any transaction, any address (deposit address, sender, recipient), a user, an id, an amount such as `500` or `25.5 USDC`, or the link of an explorer page. Case is ignored in the id of a user, and `q` may begin any of its words. Six digits and more begin the hash of a transaction, as in `0x8224a1…1b9d`. A missing deposit was not seen: `checked` shows how far each chain was read, and `POST /api/deposits/rescan` reads a transaction now.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/{userId}/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the executions of a user
         * @description Newest first. An unknown user has an empty list. With `include=delivery` each row also has `amountOut`, `toTokenDecimals` and `destinationTxHash`. [The list of executions](#/Executions/listExecutions) with `userId` also shows `funds` and `next`. Neither has a deposit that has no execution yet: [the list of deposits](#/Deposits/listUserDeposits) does.
         *
         *     Roles: `CLIENT`.
         */
        get: operations["listUserExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the executions of the organization
         * @description Newest first unless `order` is `oldest`, filtered by any hash, address or id. All filters must match. A transaction without an execution can still have a deposit: use `GET /api/deposits?txHash=`.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["listExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/executions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an execution in full
         * @description With its history, fees, quotes and transactions. `funds` shows where the money is, `next` who acts next, and `cause` the last failure.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["getExecution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/executions/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The signed receipt of an ended execution
         * @description EIP-712 typed data: deposit, intent, fees, route, the transactions on both chains, and how it ended. The same execution always has the same `digest`. `/.well-known/receipt-signers` names the addresses that sign.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["getReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/routing/simulate-deposit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate a deposit
         * @description Finds the route, fees and output with live data, with the same steps as a real deposit. Nothing is stored, signed or sent, and the user need not exist. A deposit that would fail returns 422 and its final status. One that would wait for an operator or a pause returns 503.
         *
         *     Roles: `CLIENT`. Rate class `S`.
         */
        post: operations["simulateDeposit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description In the order of the log, the first logged first. There is always a `link`: follow it to poll for more, also after a page without events. Events are kept for 7 days. Keep the highest `seq` per `data.id`; `deposit.orphaned` and `deposit.returned` do not count. With `accept: text/event-stream`, the response is [the stream](#/Events/streamEvents).
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream events
         * @description Server-sent events: each `data` is an `Event`, each `id` the id of that event. Resume with the header `Last-Event-ID`: no event is left out, and some repeat only if that id is no longer stored. `ping` is sent every 15 s. After `reset`, read your data again. At most 10 streams of a key, 50 of an organization and 50 by the keys of one person can be open at a time. Further streams are refused with 429.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your endpoints
         * @description Newest first.
         *
         *     Roles: `CLIENT`.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create an endpoint
         * @description Events from now on are posted, signed by Standard Webhooks 1.0, at least once and in any order: keep the highest `seq` per `data.id`. Answer 2xx within 15 s; anything else is retried for three days. 410 disables the endpoint. At most 10 endpoints.
         *
         *     Roles: `CLIENT`.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhook-endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an endpoint
         * @description As in the list.
         *
         *     Roles: `CLIENT`.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete an endpoint
         * @description Undelivered events are dropped.
         *
         *     Roles: `CLIENT`.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change, disable or enable an endpoint
         * @description Enabling it, or moving it to another `url`, posts immediately what waits for a retry, with ten further attempts each. Events of the last 7 days that occurred while it was disabled follow. Deliveries that are `FAILED` stay so: resend them.
         *
         *     Roles: `CLIENT`.
         */
        patch: operations["changeWebhookEndpoint"];
        trace?: never;
    };
    "/api/webhook-endpoints/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret
         * @description Both secrets sign for `overlapSeconds`. With a third secret, the oldest stops immediately.
         *
         *     Roles: `CLIENT`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhook-endpoints/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries to an endpoint
         * @description Newest first unless `order` is `oldest`, for 30 days. All filters must match.
         *
         *     Roles: `CLIENT`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhook-endpoints/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a delivery
         * @description As in the list, with the body and every stored attempt.
         *
         *     Roles: `CLIENT`.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhook-endpoints/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend events
         * @description One event by `eventId`, or the 10000 oldest events of a range by `since`, without tests. If there are more, `nextSince` is the `since` of the next call, and `until` stays. `statuses` narrows a range: `RETRYING` and `FAILED` are the events that were posted and not accepted. A resent event is posted immediately, and gets ten further attempts. A test that is resent by its `eventId` gets one attempt.
         *
         *     Roles: `CLIENT`.
         */
        post: operations["resendWebhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhook-endpoints/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Post a sample event now
         * @description Makes one attempt to post a sample whose `seq` is null. Returns 200 even if the endpoint fails.
         *
         *     Roles: `CLIENT`. Rate class `X`.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/lifecycle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the life cycle of an execution
         * @description Every status, state, transition, cause and event type, from the tables that the code runs on.
         *
         *     | Status | Meaning |
         *     |---|---|
         *     | `PENDING` | The route is chosen. Its transaction is about to be sent. |
         *     | `RUNNING` | The transaction is on its way, or the bridge is delivering. |
         *     | `SUCCESS` | Delivered: seen on the destination chain. |
         *     | `FAILED` | An attempt failed. The next one is scheduled. |
         *     | `DEAD_LETTER` | It failed permanently. An operator must act. |
         *     | `TOKEN_BLACKLISTED` | The token or an address is on the security list. |
         *     | `FAILED_UNROUTABLE_MAIN` | No provider has a route for this token to the target. |
         *     | `FAILED_INVALID_INPUT` | The deposit or the intent is not valid. |
         *     | `FAILED_NO_FUNDS` | The account does not hold the deposit. |
         *     | `FAILED_INSUFFICIENT_AFTER_FEES` | Nothing is left to route after fees. |
         *     | `QUOTA_EXCEEDED` | The organization’s quota is used up. |
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["getLifecycle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the usage by day and key
         * @description Days are in UTC, at most 92. Amounts in USD are estimates at current prices and leave out tokens without a price. A request is counted within a second.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the movements of each deposit in double entry
         * @description One row per deposit with an execution, newest first unless `order` is `oldest`. The entries of a period, by their `at`, add up to its [statement](#/Service/getStatement), to the atomic unit and to the cent.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["listLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A statement of a month or of days
         * @description By chain and token: opening balance of the deposit accounts, movements and closing balance, to the atomic unit: `opening` + `received` + `returned` + `corrected` = `protocolFee` + `gasFee` + `routed` + `closing`. A delivery counts in the month and at the price of its arrival. The books of a month are closed once `isClosed` is true: it is final, and each of its deposits has ended, even if that happened in a later month. CSV has the same rows.
         *
         *     Roles: `CLIENT`, `OPERATOR`. Rate class `X`.
         */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/coverage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that no block was missed
         * @description For each chain, the last block up to which everything was read, and the detectors that saw your deposits first. A chain whose node does not respond is left out.
         *
         *     Roles: `CLIENT`, `OPERATOR`.
         */
        get: operations["getCoverage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/executions/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry an execution now
         * @description From FAILED, the next attempt starts now instead of later, and counts as an attempt. For burned money that waits for its mint, the mint is checked now, which does not count.
         *
         *     Roles: `OPERATOR`.
         */
        post: operations["retryExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/executions/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a minimum output
         * @description For an execution that waits because no independent price can judge its output (`next.action` APPROVE). Routing continues with a route that guarantees at least this amount. Prices, once available, decide instead.
         *
         *     Roles: `OPERATOR`.
         */
        post: operations["approveExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/executions/{id}/dead-letter": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End an execution
         * @description Ends it in DEAD_LETTER, from FAILED, from intake, or from RUNNING after `next.by`. Refused while a signed transaction may still be mined, or while burned money waits for its mint.
         *
         *     Roles: `OPERATOR`.
         */
        post: operations["deadLetterExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/executions/{id}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Re-drive an execution
         * @description Starts a new execution for the money of this deposit that is measured in the account. The old execution keeps its final status.
         *
         *     Roles: `OPERATOR`.
         */
        post: operations["redriveExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/executions/{id}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund an execution
         * @description Re-drives to the refund address that the intent names, and to no other address.
         *
         *     Roles: `OPERATOR`.
         */
        post: operations["refundExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry or re-drive many executions
         * @description At most 10000 executions. Without a `status` filter, the job acts on all executions that its verb applies to.
         *
         *     Roles: `OPERATOR`.
         */
        post: operations["createJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the progress of a job
         * @description Every execution that it acts on has its own entry in the audit log.
         *
         *     Roles: `OPERATOR`.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/pauses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pauses
         * @description Every pause in force that concerns your organization, newest first.
         *
         *     Roles: `OPERATOR`.
         */
        get: operations["listPauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/pauses/{scope}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Pause a scope
         * @description Deposits are still detected and wait in stage PAUSED, without a retry. Nothing new is signed; signed orders are completed. The scope `organization` is your own. The platform’s operators set and end the others.
         *
         *     Roles: `OPERATOR`.
         */
        put: operations["putPause"];
        post?: never;
        /**
         * End a pause
         * @description Waiting deposits continue within seconds.
         *
         *     Roles: `OPERATOR`.
         */
        delete: operations["deletePause"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/scans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read blocks again
         * @description For the platform’s operators. Known deposits stay as they are. The scan waits for blocks that do not exist yet.
         *
         *     Roles: `OPERATOR`.
         */
        post: operations["createScan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/scans/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the progress of a scan
         * @description For the platform’s operators.
         *
         *     Roles: `OPERATOR`.
         */
        get: operations["getScan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/blacklist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the security list
         * @description Newest first unless `order` is `oldest`. Checked for each intent, deposit and signature.
         *
         *     Roles: `OPERATOR`.
         */
        get: operations["listBlacklist"];
        put?: never;
        /**
         * Add or change a security list entry
         * @description For the platform’s operators. An existing entry is replaced only if its `version` is named.
         *
         *     Roles: `OPERATOR`.
         */
        post: operations["putBlacklistEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/blacklist/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a security list entry
         * @description For the platform’s operators. An imported list that contains it counts again.
         *
         *     Roles: `OPERATOR`.
         */
        delete: operations["deleteBlacklistEntry"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/states": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count executions by state
         * @description Includes executions that are not shown yet. The counts are at most two seconds old.
         *
         *     Roles: `OPERATOR`.
         */
        get: operations["countStates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the health of the providers
         * @description For the platform’s operators. The figures cover the last 10 minutes.
         *
         *     Roles: `OPERATOR`.
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log
         * @description Newest first unless `order` is `oldest`. Entries are never changed or removed.
         *
         *     Roles: `OPERATOR`.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the audit log
         * @description Oldest first, with the end of each chain. `npx switchyard audit verify` checks it.
         *
         *     Roles: `OPERATOR`. Rate class `X`.
         */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/overdue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what is overdue
         * @description What should have progressed by now, the longest overdue first: your organization’s executions and deposits. The platform’s operators see those of all, and chains, relayers, providers and workers. At most 200 executions and 200 deposits.
         *
         *     Roles: `OPERATOR`.
         */
        get: operations["listOverdue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "deposit.detected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A deposit was seen */
        post: operations["onDepositDetected"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deposit.confirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A deposit’s balance was verified at the required depth */
        post: operations["onDepositConfirmed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deposit.waiting_for_intent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A deposit waits until its user has an intent */
        post: operations["onDepositWaitingForIntent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deposit.queued": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A deposit waits for an earlier one of its token to leave the account */
        post: operations["onDepositQueued"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deposit.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A deposit waits until operators end a pause */
        post: operations["onDepositPaused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deposit.orphaned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The chain dropped the block of a transfer */
        post: operations["onDepositOrphaned"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "deposit.returned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A bridge refunded the money of an execution */
        post: operations["onDepositReturned"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An execution reached PENDING */
        post: operations["onExecutionPending"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.running": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An execution reached RUNNING */
        post: operations["onExecutionRunning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.success": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An execution reached SUCCESS */
        post: operations["onExecutionSuccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An execution reached FAILED */
        post: operations["onExecutionFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.dead_letter": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An execution reached DEAD_LETTER */
        post: operations["onExecutionDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.token_blacklisted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An execution reached TOKEN_BLACKLISTED */
        post: operations["onExecutionTokenBlacklisted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.failed_unroutable_main": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An execution reached FAILED_UNROUTABLE_MAIN */
        post: operations["onExecutionFailedUnroutableMain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.failed_invalid_input": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An execution reached FAILED_INVALID_INPUT */
        post: operations["onExecutionFailedInvalidInput"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.failed_no_funds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An execution reached FAILED_NO_FUNDS */
        post: operations["onExecutionFailedNoFunds"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.failed_insufficient_after_fees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An execution reached FAILED_INSUFFICIENT_AFTER_FEES */
        post: operations["onExecutionFailedInsufficientAfterFees"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.quota_exceeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An execution reached QUOTA_EXCEEDED */
        post: operations["onExecutionQuotaExceeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.superseded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Another execution has taken over the money of this one; `next` names it */
        post: operations["onExecutionSuperseded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "execution.moved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An execution moved from one state to the next; sent only if you request it by name */
        post: operations["onExecutionMoved"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "intent.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A user got a deposit intent */
        post: operations["onIntentCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "intent.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The deposits of a user have a new destination: alert on it, because it redirects money */
        post: operations["onIntentUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "intent.change_held": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A new destination for the deposits of a user was requested and is pending: alert on it, too */
        post: operations["onIntentChangeHeld"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "chain.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Nothing new is routed from or to a chain */
        post: operations["onChainPaused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "chain.resumed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A chain is no longer paused */
        post: operations["onChainResumed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quota.warning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** 80 % of the month’s quota is used, or all of it */
        post: operations["onQuotaWarning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.expiring": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An API key expires within seven days */
        post: operations["onApiKeyExpiring"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook_endpoint.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The service disabled an endpoint: it failed for five days, or answered 410 */
        post: operations["onWebhookEndpointDisabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description Names a deposit; opaque
         * @example 8453:0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b:12
         */
        DepositId: string;
        /**
         * @description Names an execution; opaque
         * @example 8453:0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b:12
         * @example 8453:0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b:12:r1
         */
        ExecutionId: string;
        /**
         * @description Names an event; opaque
         * @example evt_01M7YRSJYY0008WRK1GT14EE0Q
         */
        EventId: string;
        /**
         * @description Names an API key; opaque
         * @example key_9fT2
         */
        ApiKeyId: string;
        /**
         * @description Names an actor: a key or a member; opaque
         * @example key_9fT2
         */
        ActorId: string;
        /**
         * @description Names an organization; opaque
         * @example org_1
         */
        OrganizationId: string;
        /**
         * @description Names a job; opaque
         * @example job_9fT2aQ
         */
        JobId: string;
        /**
         * @description Names a scan; opaque
         * @example scan_9fT2aQ
         */
        ScanId: string;
        /**
         * @description Names an entry of the audit log; opaque
         * @example aud_01M7YS2Q
         */
        AuditEntryId: string;
        /**
         * @description Names a webhook endpoint; opaque
         * @example whe_9fT2aQ
         */
        WebhookEndpointId: string;
        /**
         * @description Names a delivery; opaque
         * @example dlv_9fT2aQ
         */
        WebhookDeliveryId: string;
        /**
         * @description Names an entry of the security list; opaque
         * @example token:8453:0x0ed9a9e619b284aed8f6e5ab0a596efd5c9f5cf9
         */
        BlacklistEntryId: string;
        /**
         * @description Your stable identifier of the user, compared byte for byte
         * @example user-1
         */
        UserId: string;
        /**
         * @description An EVM address; responses use its EIP-55 checksum
         * @example 0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C
         */
        Address: string;
        /**
         * @description A hash of 32 bytes
         * @example 0xecca78d742097757150508fff9c4c1fcd598c18b27b41c04876f6d0efa1f67af
         */
        Hash: string;
        /**
         * @description An amount in atomic units
         * @example 25000000
         */
        Amount: string;
        /**
         * @description Status of an execution; [what each means](#/Service/getLifecycle)
         * @example RUNNING
         * @enum {string}
         */
        ExecutionStatus: "DEAD_LETTER" | "FAILED" | "FAILED_INSUFFICIENT_AFTER_FEES" | "FAILED_INVALID_INPUT" | "FAILED_NO_FUNDS" | "FAILED_UNROUTABLE_MAIN" | "PENDING" | "QUOTA_EXCEEDED" | "RUNNING" | "SUCCESS" | "TOKEN_BLACKLISTED";
        /**
         * @description Deterministic identifier and idempotency key of the route; empty before there is an intent
         * @example 0x304da940c769b8672196a9c1177a985dc19f1f14eeecd30157e09bec52980e9b
         */
        RouteId: string;
        /**
         * @description Trace id of the deposit, in every log line and span about it
         * @example 58f35e92d1274d085b92e100900430e2
         */
        TraceId: string;
        /**
         * @description The reason, visible to the integrator
         * @example Integrator moved the target to USDC on arbitrum
         */
        Reason: string;
        /**
         * Format: date
         * @description A day in UTC
         * @example 2026-11-21
         */
        CalendarDate: string;
        /**
         * @description A time with any UTC offset
         * @example 2026-11-21T10:00:24.640Z
         */
        SentTime: string;
        /**
         * @description Category of an error
         * @example TIMEOUT
         * @enum {string}
         */
        ErrorCategory: "BLOCKCHAIN_REVERT" | "NETWORK" | "PROVIDER_4XX" | "PROVIDER_5XX" | "RATE_LIMIT" | "TIMEOUT" | "TOKEN_BLACKLISTED" | "VALIDATION";
        /**
         * @description Stage of a deposit. More values may be added
         * @example ROUTED
         */
        DepositStage: string;
        /**
         * @description Cause of a failure. More values may be added
         * @example PROVIDER_TIMEOUT
         */
        CauseCode: string;
        /**
         * @description Result of an offer. More values may be added
         * @example CHOSEN
         */
        QuoteOutcome: string;
        /**
         * @description Result of a rescan. More values may be added
         * @example KNOWN
         */
        RescanResult: string;
        /**
         * @description Interpretation of a search text. More values may be added
         * @example HASH
         */
        SearchKind: string;
        /**
         * @description EIP-155 id of a chain. More values may be added
         * @example 8453
         */
        ChainId: number;
        /**
         * @description Chain key. More values may be added
         * @example base
         */
        ChainKey: string;
        /**
         * @description Status of a delivery. More values may be added
         * @example RETRYING
         */
        WebhookDeliveryStatus: string;
        /**
         * @description Why there was no response. More values may be added
         * @example TIMEOUT
         */
        WebhookAttemptError: string;
        /**
         * @description Finer reason of an error. More values may be added
         * @example EXPIRED
         */
        WebhookAttemptCause: string;
        /**
         * @description Why an endpoint is disabled. More values may be added
         * @example GONE
         */
        WebhookDisabledReason: string;
        /**
         * @description What is overdue. More values may be added
         * @example DELIVERY
         */
        OverdueKind: string;
        /**
         * @description EIP-155 id of a supported chain
         * @example 8453
         * @enum {integer}
         */
        SupportedChainId: 1 | 137 | 8453 | 42161 | 43114 | 84532 | 11155111 | 80002 | 421614 | 43113;
        /**
         * @description Key of a supported chain
         * @example base
         * @enum {string}
         */
        SupportedChainKey: "arbitrum" | "avalanche" | "base" | "ethereum" | "polygon";
        Health: {
            /**
             * @description The process responds
             * @example ok
             * @enum {string}
             */
            status: "ok";
            /**
             * Format: date-time
             * @description The current time
             * @example 2026-11-21T10:00:00.000Z
             */
            timestamp: string;
        };
        Chain: {
            /**
             * @description Whether deposits on it are currently routed
             * @example true
             */
            acceptsDeposits: boolean;
            /** @description Chain id */
            chainId: components["schemas"]["ChainId"];
            chainKey: components["schemas"]["ChainKey"];
            /**
             * @description Typical seconds for these confirmations: measured, or estimated without enough data
             * @example 20
             */
            confirmationTypicalSeconds: number;
            /**
             * @description Confirmations required before a deposit is routed
             * @example 10
             */
            confirmationsRequired: number;
            /**
             * @description Whether it can currently be a destination
             * @example true
             */
            delivers: boolean;
            /**
             * @description Explorer; add `/tx/<hash>` or `/address/<address>`
             * @example https://basescan.org
             */
            explorerUrl: string;
            /**
             * @description Why `acceptsDeposits` or `delivers` is false
             * @example null
             */
            message: string | null;
            /**
             * @description Name
             * @example Base
             */
            name: string;
            /**
             * @description Decimals of the native coin
             * @example 18
             */
            nativeTokenDecimals: number;
            /**
             * @description Symbol of the native coin
             * @example ETH
             */
            nativeTokenSymbol: string;
            /**
             * Format: date-time
             * @description When any of this last changed
             * @example 2026-11-21T09:59:41.000Z
             */
            updatedAt: string;
        };
        Token: {
            /**
             * @description Whether it can be sent
             * @example true
             */
            acceptsDeposits: boolean;
            /** @description Chain of the token */
            chainId: components["schemas"]["ChainId"];
            chainKey: components["schemas"]["ChainKey"];
            /**
             * @description Token decimals
             * @example 6
             */
            decimals: number;
            /**
             * @description Whether it can be received
             * @example true
             */
            delivers: boolean;
            /**
             * @description Why `acceptsDeposits` or `delivers` is false
             * @example null
             */
            message: string | null;
            /**
             * @description Whether it is the native coin
             * @example false
             */
            native: boolean;
            /** @description One entry per destination chain */
            routes: components["schemas"]["TokenRoute"][];
            /**
             * @description Token address; the zero address is the native coin
             * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
             */
            tokenAddress: components["schemas"]["Address"];
            /**
             * @description Token name
             * @example USD Coin
             */
            tokenName: string;
            /**
             * @description Token symbol
             * @example USDC
             */
            tokenSymbol: string;
            /**
             * Format: date-time
             * @description When any of this last changed
             * @example 2026-11-21T09:59:41.000Z
             */
            updatedAt: string;
        };
        TokenRoute: {
            /** @description From detection to delivery, over the last 7 days; null with under 20 samples */
            expectedSeconds: components["schemas"]["Duration"] | null;
            /**
             * @description Minimum amount that covers the current fees, in atomic units; not enforced
             * @example 73728
             */
            minimumAmountIn: components["schemas"]["Amount"] | null;
            /**
             * @description Destination chain
             * @example 42161
             */
            toChainId: components["schemas"]["ChainId"];
            /** @example arbitrum */
            toChainKey: components["schemas"]["ChainKey"];
        };
        Duration: {
            /**
             * @description 95th percentile, in seconds
             * @example 84
             */
            slow: number;
            /**
             * @description Median, in seconds
             * @example 39
             */
            typical: number;
        };
        DepositIntentRequest: {
            /**
             * @description Recipient on the destination chain
             * @example 0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115
             */
            targetAddress: components["schemas"]["Address"];
            /**
             * @description Destination chain
             * @example 42161
             */
            targetChainId: components["schemas"]["SupportedChainId"];
            /**
             * @description Token on the destination chain; the zero address for the native coin. Any case; mixed case must be EIP-55
             * @example 0xaf88d065e77c8cC2239327C5EDb3A432268e5831
             */
            targetTokenAddress: components["schemas"]["Address"];
            userId: components["schemas"]["UserId"];
            /**
             * @description Optional: address for refunds by an operator if routing fails; null removes it
             * @example 0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9
             */
            refundAddress?: components["schemas"]["Address"] | null;
        };
        DepositIntent: {
            /**
             * Format: date-time
             * @description When the intent was first stored
             * @example 2026-11-21T10:00:24.640Z
             */
            createdAt: string;
            /** @description Deposit address of the user: the same on all chains, permanently */
            depositAddress: components["schemas"]["Address"];
            /**
             * @description Protocol fee in basis points (1 = 0.01 %), copied from the API key at creation
             * @example 50
             */
            protocolFeeBps: number;
            /**
             * @description Whether the platform pays the gas, copied from the API key at creation
             * @example false
             */
            sponsoredGas: boolean;
            /**
             * @description Recipient
             * @example 0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115
             */
            targetAddress: components["schemas"]["Address"];
            /**
             * @description Destination chain
             * @example 42161
             */
            targetChainId: components["schemas"]["ChainId"];
            /** @example arbitrum */
            targetChainKey: components["schemas"]["ChainKey"];
            /**
             * @description Token on the destination chain; the zero address is the native coin
             * @example 0xaf88d065e77c8cC2239327C5EDb3A432268e5831
             */
            targetTokenAddress: components["schemas"]["Address"];
            /**
             * Format: date-time
             * @description When it was last stored
             * @example 2026-11-21T10:00:24.640Z
             */
            updatedAt: string;
            userId: components["schemas"]["UserId"];
            /**
             * @description Refund address, if the intent names one
             * @example 0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9
             */
            refundAddress?: components["schemas"]["Address"];
        };
        DepositIntentVersion: {
            /** @description The author of this version; null for versions stored before authors were recorded */
            actor: components["schemas"]["Actor"] | null;
            /** @description The key that created the intent */
            apiKeyId: components["schemas"]["ApiKeyId"];
            /**
             * Format: date-time
             * @description When this version was stored
             * @example 2026-11-21T09:58:12.004Z
             */
            createdAt: string;
            /**
             * @description Protocol fee in basis points
             * @example 50
             */
            protocolFeeBps: number;
            /**
             * @description Address for refunds by an operator if routing fails
             * @example null
             */
            refundAddress: components["schemas"]["Address"] | null;
            /**
             * @description Whether its seal shows that it came through this API; also false for versions older than seals
             * @example true
             */
            sealed: boolean;
            /**
             * @description Whether the platform pays the gas
             * @example false
             */
            sponsoredGas: boolean;
            /**
             * @description Recipient
             * @example 0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115
             */
            targetAddress: components["schemas"]["Address"];
            /**
             * @description Destination chain
             * @example 42161
             */
            targetChainId: components["schemas"]["ChainId"];
            /** @example arbitrum */
            targetChainKey: components["schemas"]["ChainKey"];
            /**
             * @description Destination token
             * @example 0xaf88d065e77c8cC2239327C5EDb3A432268e5831
             */
            targetTokenAddress: components["schemas"]["Address"];
            /**
             * @description Number of the version, from 1
             * @example 3
             */
            version: number;
        };
        AccountRequest: {
            /** @description Chain to provision on; the address works on all five */
            chainKey: components["schemas"]["SupportedChainKey"];
            /** @description Your identifier of the user. Despite the field’s name it never becomes an owner on chain */
            ownerAddress: components["schemas"]["UserId"];
            /**
             * @description Your label, at most 256 characters
             * @example Alice
             */
            label?: string | null;
        };
        Account: {
            /** @description Chain for which the account was first requested; it has no effect */
            canonicalChainId: components["schemas"]["ChainId"];
            canonicalChainKey: components["schemas"]["ChainKey"];
            /** @description The deposit address, the same on all chains */
            modularAccountAddress: components["schemas"]["Address"];
            /**
             * @description The chains on which the address can receive
             * @example [
             *       8453,
             *       1,
             *       137,
             *       42161,
             *       43114
             *     ]
             */
            supportedChains: components["schemas"]["ChainId"][];
            userId: components["schemas"]["UserId"];
        };
        AccountCreated: components["schemas"]["Account"] & {
            /**
             * Format: date-time
             * @description When the account was first stored
             * @example 2026-11-21T10:00:24.640Z
             */
            createdAt: string;
            /**
             * @description Your label
             * @example Alice
             */
            label: string | null;
            /**
             * Format: date-time
             * @description When it was last stored
             * @example 2026-11-21T10:00:24.640Z
             */
            updatedAt: string;
        };
        AccountProof: {
            /**
             * @description Salt of the deployment
             * @example 0xa809c61607d5c82f0532c49679f322e06589b8def8b2fda4cfa7a8daf672e31d
             */
            accountSalt: components["schemas"]["Hash"];
            /** @description The deposit address */
            address: components["schemas"]["Address"];
            /** @description Whether it has code, for each chain */
            deployments: components["schemas"]["Deployment"][];
            /**
             * @description Code that creates the account
             * @example 0x3d603380600a3d3981f336600557005b
             */
            initCode: string;
            /**
             * @description Hash of that code
             * @example 0xe7cdbc0f681cc19788053ebf57d0706cd9984cf44034604d60edb4e3bcc3e36e
             */
            initCodeHash: components["schemas"]["Hash"];
            /**
             * @description Namespace of the salt
             * @example switchyard/eip155/v1
             */
            namespace: string;
            /**
             * @description Contract that deploys the account
             * @example 0x7b479953F20e87812Ca17b1A473Ac8948ec9C4e3
             */
            registryAddress: components["schemas"]["Address"];
            userId: components["schemas"]["UserId"];
        };
        Deployment: {
            /** @description Chain */
            chainId: components["schemas"]["ChainId"];
            chainKey: components["schemas"]["ChainKey"];
            /**
             * @description Whether the account has code there; its first route deploys it
             * @example true
             */
            deployed: boolean;
        };
        DepositAddress: {
            /** @description Tokens that can be sent, most useful first */
            accepts: components["schemas"]["AcceptedToken"][];
            /** @description The address to send to */
            depositAddress: components["schemas"]["Address"];
            /**
             * @description Whether the user has an intent
             * @example true
             */
            hasIntent: boolean;
            /**
             * @description Notices to show to the sender
             * @example [
             *       "Send only on the chains listed."
             *     ]
             */
            notices: string[];
            /**
             * @description Recipient
             * @example 0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115
             */
            targetAddress: components["schemas"]["Address"] | null;
            /**
             * @description Destination chain
             * @example 42161
             */
            targetChainId: components["schemas"]["ChainId"] | null;
            /**
             * @description Chain key
             * @example arbitrum
             */
            targetChainKey: components["schemas"]["ChainKey"] | null;
            /**
             * @description Destination token
             * @example 0xaf88d065e77c8cC2239327C5EDb3A432268e5831
             */
            targetTokenAddress: components["schemas"]["Address"] | null;
            /**
             * @description Token symbol
             * @example USDC
             */
            targetTokenSymbol: string | null;
            userId: components["schemas"]["UserId"];
        };
        AcceptedToken: {
            /**
             * @description Whether it is currently routed
             * @example true
             */
            acceptsDeposits: boolean;
            /** @description From detection to delivery; null with under 20 samples */
            expectedSeconds: components["schemas"]["Duration"] | null;
            /** @description Chain on which it can be sent */
            fromChainId: components["schemas"]["ChainId"];
            fromChainKey: components["schemas"]["ChainKey"];
            /**
             * @description The token; the zero address is the native coin
             * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
             */
            fromTokenAddress: components["schemas"]["Address"];
            /**
             * @description Token decimals
             * @example 6
             */
            fromTokenDecimals: number;
            /**
             * @description Symbol of the token
             * @example USDC
             */
            fromTokenSymbol: string;
            /**
             * @description Why it is not routed
             * @example null
             */
            message: string | null;
            /**
             * @description Minimum amount that covers the current fees, in atomic units; null without an intent
             * @example 73728
             */
            minimumAmountIn: components["schemas"]["Amount"] | null;
            /**
             * @description EIP-681 without an amount: add `&uint256=<atomic>` (token) or `?value=<atomic>` (native)
             * @example ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C
             */
            paymentUri: string;
        };
        Deposit: {
            /** @description Arrived amount, in atomic units, measured on chain */
            amountIn: components["schemas"]["Amount"];
            /**
             * @description Block of the transfer
             * @example 38294117
             */
            blockNumber: number | null;
            /**
             * @description Confirmations so far, up to the required number
             * @example 10
             */
            confirmations: number;
            /**
             * @description Confirmations required before it is routed
             * @example 10
             */
            confirmationsRequired: number;
            /**
             * Format: date-time
             * @description When its balance was verified at the required depth
             * @example 2026-11-21T10:00:22.400Z
             */
            confirmedAt: string | null;
            /**
             * Format: date-time
             * @description When it was detected
             * @example 2026-11-21T10:00:02.118Z
             */
            createdAt: string;
            /** @description Address where it arrived */
            depositAddress: components["schemas"]["Address"];
            /**
             * @description Funding transaction; null if a balance sweep found the deposit
             * @example 0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b
             */
            depositTxHash: components["schemas"]["Hash"] | null;
            /**
             * @description Detectors that saw it, the first one first
             * @example [
             *       "WEBHOOK",
             *       "SCANNER"
             *     ]
             */
            detectedBy: ("SCANNER" | "SWEEP" | "WEBHOOK")[];
            /** @description Its latest execution */
            executionId: components["schemas"]["ExecutionId"] | null;
            /**
             * @description Sender; null for several senders or an unknown one
             * @example 0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9
             */
            fromAddress: components["schemas"]["Address"] | null;
            /** @description Source chain */
            fromChainId: components["schemas"]["ChainId"];
            fromChainKey: components["schemas"]["ChainKey"];
            /**
             * @description The token; the zero address is the native coin
             * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
             */
            fromTokenAddress: components["schemas"]["Address"];
            /**
             * @description Token decimals
             * @example 6
             */
            fromTokenDecimals: number | null;
            /**
             * @description Symbol of the token
             * @example USDC
             */
            fromTokenSymbol: string;
            /** @description Where the money is */
            funds: components["schemas"]["Funds"];
            /** @description Identifier of the deposit, and of its first execution */
            id: components["schemas"]["DepositId"];
            /**
             * @description Log index of the transfer
             * @example 12
             */
            logIndex: number | null;
            /** @description Who acts next, and by when */
            next: components["schemas"]["Next"];
            /**
             * @description Number of its latest history entry: keep the highest per id
             * @example 8
             */
            seq: number;
            /** @description Its stage. UNSUPPORTED means an unlisted token, not routed until a rescan; more values may be added */
            stage: components["schemas"]["DepositStage"];
            /**
             * @description Destination chain; null until it has an intent
             * @example 42161
             */
            toChainId: components["schemas"]["ChainId"] | null;
            /**
             * @description Destination token; null until it has an intent
             * @example 0xaf88d065e77c8cC2239327C5EDb3A432268e5831
             */
            toTokenAddress: components["schemas"]["Address"] | null;
            traceId: components["schemas"]["TraceId"];
            /**
             * Format: date-time
             * @description When it last changed
             * @example 2026-11-21T10:00:25.310Z
             */
            updatedAt: string;
            userId: components["schemas"]["UserId"];
            /** @description For the platform’s operators only */
            organizationId?: components["schemas"]["OrganizationId"];
        };
        DepositDetail: components["schemas"]["Deposit"] & {
            /** @description History, oldest first; the newest 200 entries */
            history: components["schemas"]["HistoryEntry"][];
            /**
             * @description State of the machine; see `GET /api/lifecycle`
             * @example RUNNING
             */
            state: string;
        };
        Execution: {
            /** @description The deposit, in atomic units of its token */
            amountIn: components["schemas"]["Amount"];
            /**
             * @description Expected output after fees, in atomic units; 0 before there is a route, or if it ended without using one
             * @example 24831711
             */
            amountOutExpected: components["schemas"]["Amount"];
            /**
             * Format: date-time
             * @description When it ended, in any status
             * @example null
             */
            completedAt: string | null;
            /**
             * Format: date-time
             * @description When the execution was first shown
             * @example 2026-11-21T10:00:24.640Z
             */
            createdAt: string;
            /** @description Source chain */
            fromChainId: components["schemas"]["ChainId"];
            fromChainKey: components["schemas"]["ChainKey"];
            /**
             * @description The deposited token
             * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
             */
            fromTokenAddress: components["schemas"]["Address"];
            /**
             * @description Symbol of the deposited token
             * @example USDC
             */
            fromTokenSymbol: string;
            /** @description Identifier of the execution */
            id: components["schemas"]["ExecutionId"];
            /**
             * @description Category of the error
             * @example null
             */
            lastErrorCategory: components["schemas"]["ErrorCategory"] | null;
            /**
             * @description Status of a final failure, or cause of a retried failure
             * @example null
             */
            lastErrorCode: string | null;
            /**
             * @description The error in one sentence
             * @example null
             */
            lastErrorMessage: string | null;
            /**
             * @description Retries so far
             * @example 0
             */
            retryCount: number;
            /**
             * @description Whether it will be retried automatically
             * @example false
             */
            retryable: boolean;
            routeId: components["schemas"]["RouteId"];
            /** @description Its status; [what each means](#/Service/getLifecycle) */
            status: components["schemas"]["ExecutionStatus"];
            /**
             * @description Destination chain
             * @example 42161
             */
            toChainId: components["schemas"]["ChainId"];
            /** @example arbitrum */
            toChainKey: components["schemas"]["ChainKey"];
            /**
             * @description The destination token
             * @example 0xaf88d065e77c8cC2239327C5EDb3A432268e5831
             */
            toTokenAddress: components["schemas"]["Address"];
            /**
             * @description Symbol of the destination token
             * @example USDC
             */
            toTokenSymbol: string;
            /** @description Source transaction that moves the money out of the account */
            txHash: components["schemas"]["Hash"] | null;
            /**
             * Format: date-time
             * @description When it last changed
             * @example 2026-11-21T10:00:25.310Z
             */
            updatedAt: string;
            userId: components["schemas"]["UserId"];
        };
        FullExecution: components["schemas"]["Execution"] & {
            /**
             * @description Delivered amount, in atomic units of the destination token; null if another token arrived, see `funds`
             * @example null
             */
            amountOut: components["schemas"]["Amount"] | null;
            /** @description The key that created the intent */
            apiKeyId: components["schemas"]["ApiKeyId"] | null;
            /**
             * @description Cause of the last failure; kept after a retry succeeds
             * @example null
             */
            cause: components["schemas"]["Cause"] | null;
            /**
             * @description Value of what arrived then; null if unknown
             * @example 24.83
             */
            deliveredUsd: string | null;
            /** @description The deposit that it routes */
            depositId: components["schemas"]["DepositId"];
            /**
             * @description The user’s funding transaction
             * @example 0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b
             */
            depositTxHash: components["schemas"]["Hash"] | null;
            /**
             * @description The delivery transaction
             * @example null
             */
            destinationTxHash: components["schemas"]["Hash"] | null;
            /**
             * @description Decimals of the deposited token
             * @example 6
             */
            fromTokenDecimals: number | null;
            /** @description Where the money is */
            funds: components["schemas"]["Funds"];
            /**
             * @description Gas fee, once collected, in atomic units
             * @example 18432
             */
            gasFee: components["schemas"]["Amount"] | null;
            /**
             * @description Its value then; null if unknown
             * @example 0.018432
             */
            gasFeeUsd: string | null;
            /** @description Who acts next, and by when */
            next: components["schemas"]["Next"];
            /**
             * @description Protocol fee, once collected, in atomic units
             * @example 125000
             */
            protocolFee: components["schemas"]["Amount"] | null;
            /**
             * @description Its value then; null if unknown
             * @example 0.125000
             */
            protocolFeeUsd: string | null;
            /**
             * @description Number of its latest history entry: keep the highest per id
             * @example 8
             */
            seq: number;
            /**
             * @description Decimals of the destination token
             * @example 6
             */
            toTokenDecimals: number | null;
            traceId: components["schemas"]["TraceId"];
            /**
             * @description Value of what left the account, fees included, then; null if unknown
             * @example 25.00
             */
            volumeUsd: string | null;
            /** @description For the platform’s operators only */
            organizationId?: components["schemas"]["OrganizationId"];
        };
        UserExecution: components["schemas"]["Execution"] & {
            /**
             * @description Delivered amount, in atomic units of the destination token; null if another token arrived, see `funds`
             * @example null
             */
            amountOut?: components["schemas"]["Amount"] | null;
            /**
             * @description The delivery transaction
             * @example null
             */
            destinationTxHash?: components["schemas"]["Hash"] | null;
            /**
             * @description Decimals of the destination token
             * @example 6
             */
            toTokenDecimals?: number | null;
        };
        ExecutionDetail: components["schemas"]["FullExecution"] & {
            /**
             * @description The execution of the refunded money
             * @example null
             */
            continuedBy: components["schemas"]["ExecutionId"] | null;
            /**
             * @description The user’s current intent
             * @example null
             */
            currentIntent: components["schemas"]["CurrentIntent"] | null;
            /** @description The deposit that it routes */
            deposit: components["schemas"]["Deposit"];
            /** @description How the deposit is split */
            fees: components["schemas"]["Fees"] | null;
            /** @description History, oldest first; the newest 200 entries */
            history: components["schemas"]["HistoryEntry"][];
            /** @description The intent at the time when the deposit was matched */
            intent: components["schemas"]["IntentSnapshot"] | null;
            /**
             * @description The machine version that wrote it
             * @example 1
             */
            machineVersion: string;
            /**
             * @description The call with which any account can mint it
             * @example null
             */
            mint: {
                /**
                 * @description Chain of the mint
                 * @example 42161
                 */
                chainId: components["schemas"]["ChainId"];
                /** @example arbitrum */
                chainKey: components["schemas"]["ChainKey"];
                /**
                 * @description The contract to call
                 * @example 0x81D40F21F12A8F0E3252Bccb954D722d4c464B64
                 */
                contract: components["schemas"]["Address"];
                /**
                 * @description Its calldata
                 * @example 0x00
                 */
                data: string;
            } | null;
            /** @description The limits for its route */
            policy: components["schemas"]["Policy"];
            /** @description Every quote of the last attempt */
            quotes: components["schemas"]["Quote"][];
            /**
             * @description The execution that this one re-drives
             * @example null
             */
            redriveOf: components["schemas"]["ExecutionId"] | null;
            /**
             * @description The execution that re-drives this one
             * @example null
             */
            redrivenBy: components["schemas"]["ExecutionId"] | null;
            /**
             * @description The execution whose bridge refunded this money
             * @example null
             */
            refundOf: components["schemas"]["ExecutionId"] | null;
            /**
             * @description State of the machine; see `GET /api/lifecycle`
             * @example RUNNING
             */
            state: string;
            /**
             * @description The execution of a later deposit that included this money
             * @example null
             */
            takenBy: string | null;
            /** @description All its transactions */
            transactions: components["schemas"]["Transaction"][];
        };
        Receipt: {
            /**
             * @description EIP-712 digest of the message
             * @example 0x95d5d16c6f30bb40bd0924ef7f40934df8439c3fe099672b2eb945904d8554f2
             */
            digest: components["schemas"]["Hash"];
            /** @description EIP-712 domain */
            domain: components["schemas"]["ReceiptDomain"];
            /** @description The signed facts */
            message: components["schemas"]["ReceiptMessage"];
            /**
             * @description EIP-712 primary type
             * @example Receipt
             * @enum {string}
             */
            primaryType: "Receipt";
            /**
             * @description Signature of the digest: r, s and v
             * @example 0xd543606df0294fa338f17c266f02c1d27713ccde8af3ca8f9fb80231f295d53e50d7108a48d50a2fceb51f27c1ea4d942560e2e8d624cd36e185700fcb2aac1e1b
             */
            signature: string;
            /**
             * @description Address of the key that signed; published at `/.well-known/receipt-signers`
             * @example 0xAe72A48c1a36bd18Af168541c53037965d26e4A8
             */
            signer: components["schemas"]["Address"];
            /**
             * @description EIP-712 types, always the same: fields by type
             * @example {
             *       "ReceiptRoute": [
             *         {
             *           "name": "routeId",
             *           "type": "bytes32"
             *         },
             *         {
             *           "name": "provider",
             *           "type": "string"
             *         }
             *       ]
             *     }
             */
            types: {
                [key: string]: components["schemas"]["ReceiptTypeField"][];
            };
        };
        ReceiptMessage: {
            /**
             * @description Why it failed; empty after SUCCESS
             * @example
             * @enum {string}
             */
            causeCode: "" | "ABANDONED" | "ADDRESS_BLACKLISTED" | "BALANCE_TOO_LOW" | "DEPOSIT_MOVED" | "DEPOSIT_NOT_ON_CHAIN" | "FEES_EXCEED_DEPOSIT" | "FUNDS_RETURNED" | "GAS_ESTIMATE_FAILED" | "INTENT_NOT_SEALED" | "INVALID_AMOUNT" | "INVALID_TARGET" | "MONTHLY_QUOTA_REACHED" | "NO_ROUTE" | "ORDER_LAPSED" | "PARTIAL_DELIVERY" | "PASSED_ON_TOO_OFTEN" | "PLAN_LIMIT_REACHED" | "PROVIDER_FAILED" | "PROVIDER_MALFORMED" | "PROVIDER_RATE_LIMITED" | "PROVIDER_REFUSED" | "PROVIDER_TIMEOUT" | "PROVIDER_UNAUTHORIZED" | "PROVIDER_UNREACHABLE" | "RECIPIENT_BLOCKED" | "RECIPIENT_REFUSES" | "RECIPIENT_UNSPENDABLE" | "RETURNED_TOO_OFTEN" | "ROUTE_OUTSIDE_POLICY" | "RPC_FAILED" | "RPC_RATE_LIMITED" | "RPC_TIMEOUT" | "RPC_UNREACHABLE" | "SIGNER_REFUSED" | "SIMULATION_REVERTED" | "TOKEN_BLACKLISTED" | "TOKEN_NOT_SUPPORTED" | "TRANSACTION_REVERTED" | "UNEXPECTED";
            /**
             * Format: date-time
             * @description When it ended
             * @example 2026-11-21T10:01:02.118Z
             */
            completedAt: string;
            /**
             * Format: date-time
             * @description When the execution was first shown
             * @example 2026-11-21T10:00:24.640Z
             */
            createdAt: string;
            /** @description Evidence on the destination chain. An array of one; empty while unknown, because EIP-712 has no null */
            delivered: components["schemas"]["ReceiptDelivered"][];
            /** @description The deposit */
            deposit: components["schemas"]["ReceiptDeposit"];
            /**
             * Format: date-time
             * @description When the deposit was detected
             * @example 2026-11-21T10:00:24.640Z
             */
            detectedAt: string;
            /** @description The execution */
            executionId: components["schemas"]["ExecutionId"];
            /** @description Split of the deposit. An array of one; empty while unknown, because EIP-712 has no null */
            fees: components["schemas"]["ReceiptFees"][];
            /** @description Snapshot of the intent. An array of one; empty while unknown, because EIP-712 has no null */
            intent: components["schemas"]["ReceiptIntent"][];
            /** @description The route. An array of one; empty while unknown, because EIP-712 has no null */
            route: components["schemas"]["ReceiptRoute"][];
            /** @description Evidence on the source chain. An array of one; empty while unknown, because EIP-712 has no null */
            spent: components["schemas"]["ReceiptSpent"][];
            /**
             * @description Status in which it ended; [what each means](#/Service/getLifecycle)
             * @example SUCCESS
             */
            status: components["schemas"]["ExecutionStatus"];
        };
        ReceiptDeposit: {
            /** @description Deposit account */
            account: components["schemas"]["Address"];
            /** @description Amount that arrived */
            amount: components["schemas"]["Amount"];
            /**
             * @description Confirmed block of the deposit
             * @example 38294101
             */
            blockNumber: number;
            /** @description Source chain */
            chainId: components["schemas"]["ChainId"];
            /**
             * @description Index of its transfer in the block
             * @example [
             *       12
             *     ]
             */
            logIndex: number[];
            /**
             * @description Deposited token
             * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
             */
            token: components["schemas"]["Address"];
            /**
             * @description Funding transaction; empty if a balance sweep found the deposit
             * @example [
             *       "0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b"
             *     ]
             */
            txHash: components["schemas"]["Hash"][];
        };
        ReceiptIntent: {
            /**
             * @description Target chain
             * @example 42161
             */
            chainId: components["schemas"]["ChainId"];
            /**
             * @description Recipient
             * @example 0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115
             */
            recipient: components["schemas"]["Address"];
            /**
             * @description Target token
             * @example 0xaf88d065e77c8cC2239327C5EDb3A432268e5831
             */
            token: components["schemas"]["Address"];
            /**
             * @description Version of the intent
             * @example 3
             */
            version: number;
        };
        ReceiptFees: {
            /**
             * @description Whether the fees were transferred
             * @example true
             */
            collected: boolean;
            /**
             * @description Gas fee
             * @example 18432
             */
            gasFee: components["schemas"]["Amount"];
            /**
             * @description Protocol fee
             * @example 125000
             */
            protocolFee: components["schemas"]["Amount"];
            /**
             * @description Part of the protocol fee that was forgiven
             * @example 0
             */
            protocolFeeForgiven: components["schemas"]["Amount"];
            /** @description Confirmed balance that was split */
            received: components["schemas"]["Amount"];
            /**
             * @description Rest to route; can be negative
             * @example 24856568
             */
            routed: string;
        };
        ReceiptRoute: {
            /**
             * @description Provider; empty if none was chosen
             * @example lifi
             */
            provider: string;
            /** @description Route identifier, which the chain accepts once */
            routeId: components["schemas"]["RouteId"];
        };
        ReceiptSpent: {
            /** @description Amount that left the account, fees included */
            amount: components["schemas"]["Amount"];
            /**
             * @description Its block
             * @example 38294120
             */
            blockNumber: number;
            /** @description Source chain */
            chainId: components["schemas"]["ChainId"];
            /**
             * @description Token
             * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
             */
            token: components["schemas"]["Address"];
            /** @description Transaction that moved the money out of the account */
            txHash: components["schemas"]["Hash"];
        };
        ReceiptDelivered: {
            /**
             * @description Amount that arrived
             * @example 24831711
             */
            amount: components["schemas"]["Amount"];
            /**
             * @description Its block
             * @example 402118233
             */
            blockNumber: number;
            /**
             * @description Destination chain
             * @example 42161
             */
            chainId: components["schemas"]["ChainId"];
            /**
             * @description Recipient
             * @example 0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115
             */
            recipient: components["schemas"]["Address"];
            /**
             * @description Delivered token
             * @example 0xaf88d065e77c8cC2239327C5EDb3A432268e5831
             */
            token: components["schemas"]["Address"];
            /**
             * @description Delivery transaction
             * @example 0x5c8f1f24e0ec6b1a1f5ad5e7f2f2df23e6cdb07bd75d4d3d7ed40ea2f39f8a10
             */
            txHash: components["schemas"]["Hash"];
        };
        ReceiptDomain: {
            /**
             * @description Name
             * @example Switchyard receipt
             */
            name: string;
            /**
             * @description Version
             * @example 1
             */
            version: string;
        };
        ReceiptTypeField: {
            /**
             * @description Field
             * @example status
             */
            name: string;
            /**
             * @description EIP-712 type
             * @example string
             */
            type: string;
        };
        Cause: {
            /**
             * Format: date-time
             * @description Time of the failure
             * @example 2026-11-21T10:00:23.900Z
             */
            at: string;
            /** @description Category of the cause */
            category: components["schemas"]["ErrorCategory"] | null;
            /** @description Cause of the failure; more values may be added */
            code: components["schemas"]["CauseCode"];
            /**
             * @description The cause in one sentence
             * @example A routing provider did not answer in time.
             */
            message: string;
        };
        Fees: {
            /**
             * @description Amount left to route; zero or less if fees exceed the deposit
             * @example 24856568
             */
            amountForSwapRaw: string;
            /**
             * @description Whether the fee transfer is confirmed on chain
             * @example true
             */
            collected: boolean;
            /**
             * @description Gas fee in the deposited token
             * @example 18432
             */
            gasFeeRaw: components["schemas"]["Amount"];
            /**
             * @description Why no gas is charged
             * @example NONE
             * @enum {string}
             */
            gasFeeSkipReason: "ESTIMATION_FAILED" | "NONE" | "SPONSORED";
            /**
             * @description Protocol fee that is collected
             * @example 125000
             */
            protocolFeeEffective: components["schemas"]["Amount"];
            /**
             * @description Protocol fee that is forgiven
             * @example 0
             */
            protocolFeeForgiven: components["schemas"]["Amount"];
            /**
             * @description Protocol fee as calculated
             * @example 125000
             */
            protocolFeeRaw: components["schemas"]["Amount"];
            /** @description Confirmed balance that was routed, in atomic units */
            totalReceivedRaw: components["schemas"]["Amount"];
        };
        Quote: {
            /**
             * @description Expected output
             * @example 24831711
             */
            amountOutExpected: components["schemas"]["Amount"] | null;
            /**
             * @description Guaranteed output
             * @example 24707552
             */
            amountOutMin: components["schemas"]["Amount"] | null;
            /**
             * @description Expected duration, in seconds
             * @example 30
             */
            expectedSeconds: number | null;
            /**
             * @description Steps of the route
             * @example 1
             */
            hops: number | null;
            /** @description Result of the quote */
            outcome: components["schemas"]["QuoteOutcome"];
            /**
             * @description The requested provider
             * @example lifi
             */
            provider: string;
            /**
             * Format: date-time
             * @description Time of the request
             * @example 2026-11-21T10:00:23.871Z
             */
            quotedAt: string;
            /**
             * @description Why it was not chosen
             * @example null
             */
            reason: string | null;
            /**
             * @description Slippage in basis points
             * @example 50
             */
            slippageBps: number | null;
        };
        IntentSnapshot: {
            /**
             * @description Protocol fee in basis points
             * @example 50
             */
            protocolFeeBps: number;
            /**
             * @description Whether the platform pays the gas
             * @example false
             */
            sponsoredGas: boolean;
            /**
             * @description Recipient
             * @example 0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115
             */
            targetAddress: components["schemas"]["Address"];
            /**
             * @description Destination chain
             * @example 42161
             */
            targetChainId: components["schemas"]["ChainId"];
            /** @example arbitrum */
            targetChainKey: components["schemas"]["ChainKey"];
            /**
             * @description Destination token
             * @example 0xaf88d065e77c8cC2239327C5EDb3A432268e5831
             */
            targetTokenAddress: components["schemas"]["Address"];
            /**
             * @description Version of the intent
             * @example 3
             */
            version: number;
        };
        CurrentIntent: components["schemas"]["IntentSnapshot"] & {
            /**
             * @description Address for refunds by an operator if routing fails
             * @example null
             */
            refundAddress: components["schemas"]["Address"] | null;
        };
        /** @description An event. Its `type` determines the form of `data` */
        Event: components["schemas"]["ChainEvent"] | components["schemas"]["DepositEvent"] | components["schemas"]["ExecutionEvent"] | components["schemas"]["IntentHeldEvent"] | components["schemas"]["ApiKeyEvent"] | components["schemas"]["WebhookEndpointEvent"] | components["schemas"]["IntentEvent"] | components["schemas"]["MoveEvent"] | components["schemas"]["QuotaEvent"] | components["schemas"]["OtherEvent"];
        DepositEvent: {
            /**
             * @description The deposit at that time
             * @example {
             *       "id": "8453:0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b:12",
             *       "userId": "user-1",
             *       "depositAddress": "0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C",
             *       "stage": "ROUTING",
             *       "fromChainId": 8453,
             *       "fromChainKey": "base",
             *       "fromTokenSymbol": "USDC",
             *       "fromTokenAddress": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
             *       "fromTokenDecimals": 6,
             *       "toChainId": 42161,
             *       "toTokenAddress": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
             *       "amountIn": "25000000",
             *       "fromAddress": "0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9",
             *       "depositTxHash": "0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b",
             *       "logIndex": 12,
             *       "blockNumber": 38294117,
             *       "confirmations": 10,
             *       "confirmationsRequired": 10,
             *       "detectedBy": [
             *         "WEBHOOK",
             *         "SCANNER"
             *       ],
             *       "executionId": null,
             *       "funds": {
             *         "holder": "DEPOSIT_ACCOUNT",
             *         "address": "0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C",
             *         "chainId": 8453,
             *         "chainKey": "base",
             *         "tokenAddress": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
             *         "tokenSymbol": "USDC",
             *         "tokenDecimals": 6,
             *         "amount": "25000000",
             *         "blockNumber": 38294117,
             *         "refund": false
             *       },
             *       "next": {
             *         "actor": "SERVICE",
             *         "action": "ROUTE",
             *         "expectedAt": "2026-11-21T10:00:32.400Z",
             *         "by": "2026-11-21T10:02:22.400Z",
             *         "message": "The money is safe in the deposit account. A route is being sought.",
             *         "executionId": null
             *       },
             *       "seq": 3,
             *       "createdAt": "2026-11-21T10:00:02.118Z",
             *       "confirmedAt": "2026-11-21T10:00:22.400Z",
             *       "traceId": "58f35e92d1274d085b92e100900430e2",
             *       "updatedAt": "2026-11-21T10:00:22.400Z"
             *     }
             */
            data: components["schemas"]["Deposit"];
            /**
             * @description Always the same for this event
             * @example evt_01M7YRSG400003M69YYP7WQRTB
             */
            id: components["schemas"]["EventId"];
            /**
             * @description Number of the history entry: keep the highest per `data.id`
             * @example 3
             */
            seq: number;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-11-21T10:00:22.400Z
             */
            timestamp: string;
            /**
             * @description The change of state, see `GET /api/lifecycle`; null while a deposit is not confirmed
             * @example {
             *       "event": "balance verified",
             *       "from": "verifying balance",
             *       "to": "finding route"
             *     }
             */
            transition: components["schemas"]["Transition"] | null;
            /**
             * @description The event (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "deposit.confirmed" | "deposit.detected" | "deposit.orphaned" | "deposit.paused" | "deposit.queued" | "deposit.returned" | "deposit.waiting_for_intent";
        };
        ExecutionEvent: {
            /** @description The execution at that time */
            data: components["schemas"]["FullExecution"];
            /** @description Always the same for this event */
            id: components["schemas"]["EventId"];
            /**
             * @description Number of the history entry: keep the highest per `data.id`
             * @example 8
             */
            seq: number;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-11-21T10:00:25.310Z
             */
            timestamp: string;
            /** @description The change of state, see `GET /api/lifecycle`; null while a deposit is not confirmed */
            transition: components["schemas"]["Transition"] | null;
            /**
             * @description The event (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "execution.dead_letter" | "execution.failed" | "execution.failed_insufficient_after_fees" | "execution.failed_invalid_input" | "execution.failed_no_funds" | "execution.failed_unroutable_main" | "execution.pending" | "execution.quota_exceeded" | "execution.running" | "execution.success" | "execution.superseded" | "execution.token_blacklisted";
        };
        MoveEvent: {
            /** @description The move from one state to the next */
            data: components["schemas"]["Move"];
            /**
             * @description Always the same for this event
             * @example evt_01M7YRSHJW0004458H2QYNHSZH
             */
            id: components["schemas"]["EventId"];
            /**
             * @description Number of the history entry: keep the highest per `data.id`
             * @example 4
             */
            seq: number;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-11-21T10:00:23.900Z
             */
            timestamp: string;
            /**
             * @description The change of state, see `GET /api/lifecycle`; null while a deposit is not confirmed
             * @example {
             *       "event": "route found",
             *       "from": "finding route",
             *       "to": "pricing fees"
             *     }
             */
            transition: components["schemas"]["Transition"] | null;
            /**
             * @description The event (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "execution.moved";
        };
        IntentEvent: {
            /** @description The intent as it was stored */
            data: components["schemas"]["IntentChange"];
            /**
             * @description As for any event
             * @example evt_01M7YRNGS400039VRF0Y0NFNXC
             */
            id: components["schemas"]["EventId"];
            /**
             * @description Null: it has no history
             * @example null
             */
            seq: number | null;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-11-21T09:58:12.004Z
             */
            timestamp: string;
            /**
             * @description Null: it has no states
             * @example null
             */
            transition: components["schemas"]["Transition"] | null;
            /**
             * @description The event (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "intent.created" | "intent.updated";
        };
        IntentChange: components["schemas"]["DepositIntent"] & {
            /** @description Previous destination of deposits; null for the first version, or if it was not kept */
            previous: components["schemas"]["FormerTarget"] | null;
            /**
             * @description Number of the version, from 1: keep the highest per `userId`
             * @example 3
             */
            version: number;
            /** @description For the platform’s operators only */
            organizationId?: components["schemas"]["OrganizationId"];
        };
        IntentHeldEvent: {
            /** @description The current intent, in force until then, with the pending change */
            data: components["schemas"]["HeldIntent"];
            /**
             * @description As for any event
             * @example evt_01M7YRXQS600034E8Y35SGY7A1
             */
            id: components["schemas"]["EventId"];
            /**
             * @description Null: it has no history
             * @example null
             */
            seq: number | null;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-11-21T10:02:41.318Z
             */
            timestamp: string;
            /**
             * @description Null: it has no states
             * @example null
             */
            transition: components["schemas"]["Transition"] | null;
            /**
             * @description The event (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "intent.change_held";
        };
        HeldIntent: components["schemas"]["IntentChange"] & {
            /** @description The pending change */
            change: components["schemas"]["HeldTarget"];
        };
        HeldTarget: {
            /**
             * @description The reason for the wait: a time, or the approval of a second member
             * @example DELAY
             * @enum {string}
             */
            hold: "APPROVAL" | "DELAY";
            /**
             * Format: date-time
             * @description When it takes effect unless a member withdraws it; null if it waits for approval
             * @example 2026-11-22T10:02:41.318Z
             */
            takesEffectAt: string | null;
            /**
             * @description New recipient
             * @example 0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9
             */
            targetAddress: components["schemas"]["Address"];
            /**
             * @description Destination chain
             * @example 42161
             */
            targetChainId: components["schemas"]["ChainId"];
            /** @example arbitrum */
            targetChainKey: components["schemas"]["ChainKey"];
            /**
             * @description Destination token
             * @example 0xaf88d065e77c8cC2239327C5EDb3A432268e5831
             */
            targetTokenAddress: components["schemas"]["Address"];
            /**
             * @description New refund address, if any
             * @example 0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9
             */
            refundAddress?: components["schemas"]["Address"];
        };
        FormerTarget: {
            /**
             * @description Former recipient
             * @example 0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9
             */
            targetAddress: components["schemas"]["Address"];
            /** @description Destination chain */
            targetChainId: components["schemas"]["ChainId"];
            targetChainKey: components["schemas"]["ChainKey"];
            /**
             * @description Destination token
             * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
             */
            targetTokenAddress: components["schemas"]["Address"];
        };
        ChainEvent: {
            /**
             * @description The chain as the pause defines it; see `GET /api/chains` for measured values
             * @example {
             *       "chainId": 8453,
             *       "chainKey": "base",
             *       "name": "Base",
             *       "nativeTokenSymbol": "ETH",
             *       "nativeTokenDecimals": 18,
             *       "explorerUrl": "https://basescan.org",
             *       "confirmationsRequired": 10,
             *       "confirmationTypicalSeconds": 20,
             *       "acceptsDeposits": false,
             *       "delivers": false,
             *       "message": "Routing on this chain is paused. Deposits are safe and wait.",
             *       "updatedAt": "2026-11-21T10:12:00.000Z"
             *     }
             */
            data: components["schemas"]["Chain"];
            /**
             * @description As for any event
             * @example evt_01M7YSESC000013T6MWV102VRC
             */
            id: components["schemas"]["EventId"];
            /**
             * @description Null: it has no history
             * @example null
             */
            seq: number | null;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-11-21T10:12:00.000Z
             */
            timestamp: string;
            /**
             * @description Null: it has no states
             * @example null
             */
            transition: components["schemas"]["Transition"] | null;
            /**
             * @description The event (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "chain.paused" | "chain.resumed";
        };
        QuotaEvent: {
            /**
             * @description The quota at that time. `used` includes executions that were about to reach PENDING
             * @example {
             *       "month": "2026-11",
             *       "limit": 10000,
             *       "used": 8000,
             *       "resetsAt": "2026-12-01T00:00:00.000Z"
             *     }
             */
            data: {
                /**
                 * @description Executions in the plan; null means no limit
                 * @example 10000
                 */
                limit: number | null;
                /**
                 * @description The month, in UTC
                 * @example 2026-11
                 */
                month: string;
                /**
                 * Format: date-time
                 * @description When the next month starts
                 * @example 2026-12-01T00:00:00.000Z
                 */
                resetsAt: string;
                /**
                 * @description Executions of the month that reached PENDING
                 * @example 412
                 */
                used: number;
                /** @description For the platform’s operators only */
                organizationId?: components["schemas"]["OrganizationId"];
            };
            /**
             * @description As for any event
             * @example evt_01M7YSYP8R002GAP3W0XXCP1WW
             */
            id: components["schemas"]["EventId"];
            /**
             * @description Null: it has no history
             * @example null
             */
            seq: number | null;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-11-21T10:20:41.112Z
             */
            timestamp: string;
            /**
             * @description Null: it has no states
             * @example null
             */
            transition: components["schemas"]["Transition"] | null;
            /**
             * @description The event (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "quota.warning";
        };
        ApiKeyEvent: {
            /** @description The key */
            data: components["schemas"]["ExpiringKey"];
            /**
             * @description As for any event
             * @example evt_01M7YRRT800000JM1YRRPZN902
             */
            id: components["schemas"]["EventId"];
            /**
             * @description Null: it has no history
             * @example null
             */
            seq: number | null;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-11-21T10:00:00.000Z
             */
            timestamp: string;
            /**
             * @description Null: it has no states
             * @example null
             */
            transition: components["schemas"]["Transition"] | null;
            /**
             * @description The event (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "api_key.expiring";
        };
        ExpiringKey: {
            /**
             * Format: date-time
             * @description When it was made
             * @example 2026-08-30T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it expires, unless it is revoked before
             * @example 2026-11-28T10:00:00.000Z
             */
            expiresAt: string;
            /** @description The key; its text is stored nowhere */
            id: components["schemas"]["ApiKeyId"];
            /**
             * @description Label of the key
             * @example production
             */
            label: string;
            /**
             * @description The first characters of its text, which distinguish keys
             * @example sy_live_9fT2
             */
            prefix: string;
            /**
             * @description Role of the key
             * @example CLIENT
             * @enum {string}
             */
            role: "CLIENT" | "OPERATOR";
            /** @description For the platform’s operators only */
            organizationId?: components["schemas"]["OrganizationId"];
        };
        WebhookEndpointEvent: {
            /** @description The endpoint at that time */
            data: components["schemas"]["WebhookEndpoint"];
            /**
             * @description As for any event
             * @example evt_01M7YRSRDZ0000Z3YXYGPXW5WK
             */
            id: components["schemas"]["EventId"];
            /**
             * @description Null: it has no history
             * @example null
             */
            seq: number | null;
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-11-21T10:00:30.911Z
             */
            timestamp: string;
            /**
             * @description Null: it has no states
             * @example null
             */
            transition: components["schemas"]["Transition"] | null;
            /**
             * @description The event (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "webhook_endpoint.disabled";
        };
        OtherEvent: {
            /** @description Depends on the type */
            data: {
                /**
                 * @description The object of the event
                 * @example 8453:0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b:12
                 */
                id: string;
            };
            /** @description As for any event */
            id: components["schemas"]["EventId"];
            /**
             * @description A type that is not in this document (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "OtherEvent";
        };
        Move: {
            /**
             * @description The event
             * @example route found
             */
            event: string;
            /**
             * @description State before
             * @example finding route
             */
            from: string | null;
            /** @description The execution */
            id: components["schemas"]["ExecutionId"];
            /**
             * @description Status after it; [what each means](#/Service/getLifecycle)
             * @example null
             */
            status: components["schemas"]["ExecutionStatus"] | null;
            /**
             * @description State after
             * @example pricing fees
             */
            to: string;
            userId: components["schemas"]["UserId"];
        };
        Transition: {
            /**
             * @description The event
             * @example transaction submitted
             */
            event: string;
            /**
             * @description State before; null at the beginning
             * @example PENDING
             */
            from: string | null;
            /**
             * @description State after; unchanged if only a fact was noted
             * @example RUNNING
             */
            to: string;
        };
        Funds: {
            /** @description Address that holds it */
            address: components["schemas"]["Address"] | null;
            /** @description Amount, in atomic units of the token */
            amount: components["schemas"]["Amount"];
            /**
             * @description Block at which this was true
             * @example 38294117
             */
            blockNumber: number;
            /** @description Chain of the money */
            chainId: components["schemas"]["ChainId"];
            chainKey: components["schemas"]["ChainKey"];
            /**
             * @description Holder of the money; NONE if another execution or no one holds it, see `next`
             * @example DEPOSIT_ACCOUNT
             * @enum {string}
             */
            holder: "DEPOSIT_ACCOUNT" | "NONE" | "PROVIDER" | "RECIPIENT" | "SENDER";
            /**
             * @description Whether this is an operator’s refund to the refund address; with holder RECIPIENT, the refund has arrived
             * @example false
             */
            refund: boolean;
            /**
             * @description The token
             * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
             */
            tokenAddress: components["schemas"]["Address"];
            /**
             * @description Token decimals
             * @example 6
             */
            tokenDecimals: number | null;
            /**
             * @description Token symbol
             * @example USDC
             */
            tokenSymbol: string;
        };
        Next: {
            /**
             * @description The action; more values may be added
             * @example SUBMIT
             */
            action: string;
            /**
             * @description Who acts next
             * @example SERVICE
             * @enum {string}
             */
            actor: "INTEGRATOR" | "NOBODY" | "OPERATOR" | "PROVIDER" | "SENDER" | "SERVICE";
            /**
             * Format: date-time
             * @description When an operator is alerted if the execution still waits
             * @example 2026-11-21T10:10:25.310Z
             */
            by: string | null;
            /**
             * @description For FOLLOW: the execution that has the money now
             * @example null
             */
            executionId: components["schemas"]["ExecutionId"] | null;
            /**
             * Format: date-time
             * @description Estimated time of the action
             * @example 2026-11-21T10:00:55.310Z
             */
            expectedAt: string | null;
            /**
             * @description An explanation in one or two sentences
             * @example The transaction is sent and waits to be mined.
             */
            message: string;
        };
        HistoryEntry: {
            /**
             * Format: date-time
             * @description When it happened
             * @example 2026-11-21T10:00:25.310Z
             */
            at: string;
            /**
             * @description The event
             * @example transaction submitted
             */
            event: string;
            /**
             * @description State before
             * @example PENDING
             */
            from: string | null;
            /**
             * @description An error or an operator’s reason, in one sentence
             * @example null
             */
            note: string | null;
            /**
             * @description Number of the entry, from 1; never restarts
             * @example 8
             */
            seq: number;
            /** @description Status after it; null before there is one; [what each means](#/Service/getLifecycle) */
            status: components["schemas"]["ExecutionStatus"] | null;
            /**
             * @description State after
             * @example RUNNING
             */
            to: string;
        };
        Transaction: {
            /**
             * Format: date-time
             * @description When it was first seen
             * @example 2026-11-21T10:00:25.310Z
             */
            at: string;
            /**
             * @description Block number
             * @example null
             */
            blockNumber: number | null;
            /** @description Chain of the transaction */
            chainId: components["schemas"]["ChainId"];
            chainKey: components["schemas"]["ChainKey"];
            /**
             * @description Role of the transaction
             * @example SOURCE
             * @enum {string}
             */
            role: "DEPOSIT" | "DESTINATION" | "REFUND" | "SOURCE";
            /**
             * @description Status of the transaction
             * @example SUBMITTED
             * @enum {string}
             */
            status: "CONFIRMED" | "DROPPED" | "REPLACED" | "REVERTED" | "SIGNED" | "SUBMITTED";
            /** @description Transaction hash */
            txHash: components["schemas"]["Hash"];
        };
        Policy: {
            /**
             * @description Maximum expected duration, in seconds
             * @example 1800
             */
            maxDurationSeconds: number;
            /**
             * @description Maximum steps of a route
             * @example 3
             */
            maxHops: number;
            /**
             * @description Minimum guaranteed output as a share of the input, in basis points
             * @example 9700
             */
            minOutputBps: number;
            /**
             * @description Whether sponsored gas is required
             * @example false
             */
            requiresSponsoredGas: boolean;
            /**
             * @description Maximum slippage, in basis points
             * @example 50
             */
            slippageBps: number;
        };
        SimulationRequest: {
            /**
             * @description Amount, in atomic units
             * @example 25000000
             */
            amountInAtomic: string;
            /** @description Source chain */
            fromChainId: components["schemas"]["SupportedChainId"];
            /**
             * @description Symbol of the token that would be sent
             * @example USDC
             */
            fromTokenSymbol: string;
            userId: components["schemas"]["UserId"];
            /**
             * @description Another recipient
             * @example 0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115
             */
            overrideTargetAddress?: components["schemas"]["Address"];
            /**
             * @description Another destination chain, for this simulation only
             * @example 42161
             */
            overrideTargetChainId?: components["schemas"]["SupportedChainId"];
            /**
             * @description Another destination token
             * @example 0xaf88d065e77c8cC2239327C5EDb3A432268e5831
             */
            overrideTargetTokenAddress?: components["schemas"]["Address"];
        };
        Simulation: {
            /**
             * @description Amount that would enter the swap
             * @example 24856568
             */
            amountForSwapAtomic: components["schemas"]["Amount"];
            /** @description Amount that would be sent */
            amountInAtomic: components["schemas"]["Amount"];
            /**
             * @description Expected output after all fees
             * @example 24831711
             */
            amountOutExpectedAtomic: components["schemas"]["Amount"];
            /** @description Source chain */
            fromChainId: components["schemas"]["ChainId"];
            fromChainKey: components["schemas"]["ChainKey"];
            /**
             * @description Symbol of the token
             * @example USDC
             */
            fromTokenSymbol: string;
            /**
             * @description Gas fee, in the deposited token
             * @example 18432
             */
            gasFeeRaw: components["schemas"]["Amount"];
            /**
             * @description Why no gas would be charged
             * @example NONE
             * @enum {string}
             */
            gasFeeSkipReason: "ESTIMATION_FAILED" | "NONE" | "SPONSORED";
            /**
             * @description Whether the user has a stored intent
             * @example true
             */
            hasIntent: boolean;
            /** @description The limits for the route */
            policy: components["schemas"]["Policy"];
            /**
             * @description Provider that would route it
             * @example lifi
             */
            provider: string;
            /**
             * @description Recipient
             * @example 0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115
             */
            targetAddress: components["schemas"]["Address"];
            /**
             * @description Destination chain
             * @example 42161
             */
            targetChainId: components["schemas"]["ChainId"];
            /** @example arbitrum */
            targetChainKey: components["schemas"]["ChainKey"];
            /**
             * @description Symbol of the destination token
             * @example USDC
             */
            targetTokenSymbol: string;
            userId: components["schemas"]["UserId"];
        };
        Lifecycle: {
            /** @description Every `cause.code` */
            causes: {
                /**
                 * @description Advice
                 * @example No action needed: the service retries automatically.
                 */
                advice: string;
                /** @description Its category */
                category: components["schemas"]["ErrorCategory"] | null;
                /** @description The cause; more may be added */
                code: components["schemas"]["CauseCode"];
                /**
                 * @description The status that it leads to; [what each means](#/Service/getLifecycle)
                 * @example FAILED
                 */
                endsIn: components["schemas"]["ExecutionStatus"] | null;
                /**
                 * @description The value of `lastErrorMessage`
                 * @example A routing provider did not answer in time.
                 */
                message: string;
                /**
                 * @description Whether it is retried
                 * @example true
                 */
                retryable: boolean;
            }[];
            /** @description Every `lastErrorCategory`, and whether it is retried */
            errorCategories: {
                /**
                 * @description The category
                 * @example TIMEOUT
                 */
                category: string;
                /**
                 * @description Whether it is retried
                 * @example true
                 */
                retryable: boolean;
            }[];
            /**
             * @description The types of events; more may be added
             * @example [
             *       "deposit.detected",
             *       "execution.running"
             *     ]
             */
            eventTypes: string[];
            /**
             * @description Name of the machine
             * @example execution
             */
            machine: string;
            /** @description How failed attempts are retried */
            retry: {
                /**
                 * @description Delay before the first retry
                 * @example 2
                 */
                baseSeconds: number;
                /**
                 * @description Factor by which the delay grows
                 * @example 2
                 */
                factor: number;
                /**
                 * @description How much of the delay is random
                 * @example HALF
                 */
                jitter: string;
                /**
                 * @description Longest delay
                 * @example 300
                 */
                maxSeconds: number;
                /**
                 * @description Factor after a failure of a provider
                 * @example 5
                 */
                providerFactor: number;
                /**
                 * @description Longest delay after a failure of a provider
                 * @example 5400
                 */
                providerMaxSeconds: number;
                /**
                 * @description Retries before the final failure
                 * @example 10
                 */
                retriesMax: number;
            };
            /** @description Every state of the machine; states can change and are not part of the contract */
            states: {
                /**
                 * @description Its meaning
                 * @example Requesting a route from the providers.
                 */
                description: string;
                /**
                 * @description Whether it is before, during or after routing
                 * @example intake
                 * @enum {string}
                 */
                kind: "active" | "intake" | "terminal";
                /**
                 * @description The state
                 * @example finding route
                 */
                state: string;
                /**
                 * @description Its status; null before there is one; [what each means](#/Service/getLifecycle)
                 * @example null
                 */
                status: components["schemas"]["ExecutionStatus"] | null;
                /**
                 * @description The step carried out in it
                 * @example findRoute
                 */
                step: string | null;
                /**
                 * @description How to colour it
                 * @example info
                 * @enum {string}
                 */
                tone: "danger" | "info" | "success" | "warning";
            }[];
            /** @description Every status of an execution */
            statuses: {
                /**
                 * @description Its meaning
                 * @example An attempt failed. The next one is scheduled.
                 */
                description: string;
                /**
                 * @description Whether it can still change
                 * @example active
                 * @enum {string}
                 */
                kind: "active" | "terminal";
                /**
                 * @description Whether it is retried automatically; null if that does not apply
                 * @example false
                 */
                retryable: boolean | null;
                /**
                 * @description The status
                 * @example FAILED
                 */
                status: components["schemas"]["ExecutionStatus"];
            }[];
            /** @description Every transition between states */
            transitions: {
                /**
                 * @description The event
                 * @example fees priced
                 */
                event: string;
                /**
                 * @description State before
                 * @example pricing fees
                 */
                from: string;
                /**
                 * @description Condition, if any
                 * @example nothing is left
                 */
                guard: string | null;
                /**
                 * @description State after
                 * @example FAILED_INSUFFICIENT_AFTER_FEES
                 */
                to: string;
            }[];
            /**
             * @description Its version; states can change with it, statuses do not
             * @example 1
             */
            version: string;
        };
        Statement: {
            /**
             * @description The key of its deposits; null for all
             * @example null
             */
            apiKeyId: components["schemas"]["ApiKeyId"] | null;
            /**
             * Format: date-time
             * @description End of the figures: the end of the period, or now
             * @example 2026-11-21T10:00:29.000Z
             */
            asOf: string;
            /**
             * Format: date-time
             * @description Its beginning, inclusive
             * @example 2026-11-01T00:00:00.000Z
             */
            from: string;
            /**
             * @description Whether it is final and each of its deposits has ended
             * @example false
             */
            isClosed: boolean;
            /**
             * @description Whether the period is over and nothing in it can change
             * @example false
             */
            isFinal: boolean;
            /**
             * @description The month, in UTC, or the days as `2026-11-03/2026-11-09`
             * @example 2026-11
             */
            month: string;
            /** @description By chain and token */
            rows: components["schemas"]["StatementRow"][];
            /**
             * Format: date-time
             * @description Its end, exclusive
             * @example 2026-12-01T00:00:00.000Z
             */
            to: string;
            /** @description Sums of all rows */
            totals: components["schemas"]["StatementTotals"];
            /**
             * @description Confirmed deposits of the period that have not ended
             * @example 2
             */
            unfinishedDeposits: number;
        };
        StatementRow: components["schemas"]["StatementTotals"] & {
            /** @description Chain */
            chainId: components["schemas"]["ChainId"];
            chainKey: components["schemas"]["ChainKey"];
            /**
             * @description In the deposit accounts at the end
             * @example 75000000
             */
            closing: string;
            /**
             * @description Missing deposits, rounding, and with apiKeyId leftovers included by a deposit of another key
             * @example 0
             */
            corrected: string;
            /**
             * @description Arrived at recipients on this chain in this token, from any source
             * @example 950110000
             */
            delivered: components["schemas"]["Amount"];
            /**
             * @description Gas fees collected
             * @example 737280
             */
            gasFee: components["schemas"]["Amount"];
            /**
             * @description Part of it that unfinished executions will route
             * @example 50000000
             */
            inProgress: components["schemas"]["Amount"];
            /**
             * @description Rest of it, which ended executions left
             * @example 25000000
             */
            leftInAccount: string;
            /**
             * @description In the deposit accounts when the period began
             * @example 25000000
             */
            opening: string;
            /**
             * @description Protocol fees collected
             * @example 5000000
             */
            protocolFee: components["schemas"]["Amount"];
            /**
             * @description Deposits that arrived
             * @example 1000000000
             */
            received: components["schemas"]["Amount"];
            /**
             * @description Arrived at refund addresses
             * @example 0
             */
            refunded: components["schemas"]["Amount"];
            /**
             * @description Sent back by bridges, as new deposits
             * @example 0
             */
            returned: components["schemas"]["Amount"];
            /**
             * @description Left the accounts towards a recipient or a refund address
             * @example 944262720
             */
            routed: components["schemas"]["Amount"];
            /**
             * @description Token
             * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
             */
            tokenAddress: components["schemas"]["Address"];
            /**
             * @description Decimals
             * @example 6
             */
            tokenDecimals: number | null;
            /**
             * @description Symbol
             * @example USDC
             */
            tokenSymbol: string;
        };
        StatementTotals: {
            /**
             * @description Executions that paid a fee
             * @example 38
             */
            charges: number;
            /**
             * @description Value of the priced deliveries, each at its own time; null if none has a price
             * @example 950.11
             */
            deliveredUsd: string | null;
            /**
             * @description Deliveries
             * @example 38
             */
            deliveries: number;
            /**
             * @description Executions whose money left the deposit accounts
             * @example 38
             */
            departures: number;
            /**
             * @description Deposits that arrived
             * @example 40
             */
            deposits: number;
            /**
             * @description Value of the priced gas fees when they were collected; null if none
             * @example 0.737280
             */
            gasFeeUsd: string | null;
            /**
             * @description Value of the priced protocol fees when they were collected; null if none
             * @example 5.000000
             */
            protocolFeeUsd: string | null;
            /**
             * @description Value of the priced refunds, each at its own time; null if none has a price
             * @example 0.00
             */
            refundedUsd: string | null;
            /**
             * @description Refunds
             * @example 0
             */
            refunds: number;
            /**
             * @description Executions whose fees had no known price; their value is in no sum
             * @example 0
             */
            unpricedCharges: number;
            /**
             * @description Deliveries without a known price; their value is in no sum
             * @example 0
             */
            unpricedDeliveries: number;
            /**
             * @description Departures whose price was unknown when the money left; their value is in no sum
             * @example 0
             */
            unpricedDepartures: number;
            /**
             * @description Refunds without a known price
             * @example 0
             */
            unpricedRefunds: number;
            /**
             * @description Value of the priced departures, each when it left; null if none has a price
             * @example 950.00
             */
            volumeUsd: string | null;
        };
        LedgerLine: {
            /**
             * Format: date-time
             * @description When it was detected
             * @example 2026-11-21T10:00:02.118Z
             */
            createdAt: string;
            /** @description The deposit */
            depositId: components["schemas"]["DepositId"];
            /** @description Its movements so far, re-drives included */
            entries: components["schemas"]["LedgerEntry"][];
            userId: components["schemas"]["UserId"];
            /** @description For the platform’s operators only */
            organizationId?: components["schemas"]["OrganizationId"];
        };
        LedgerEntry: {
            /**
             * Format: date-time
             * @description Decides in which statement it is
             * @example 2026-11-21T10:00:02.118Z
             */
            at: string;
            /** @description Chain */
            chainId: components["schemas"]["ChainId"];
            chainKey: components["schemas"]["ChainKey"];
            /** @description Its execution */
            executionId: components["schemas"]["ExecutionId"];
            /**
             * @description Value of the gas fee; null if unknown
             * @example null
             */
            gasFeeUsd: string | null;
            /**
             * @description Why money moved. SPENT: it left the deposit account. More values may be added
             * @example RECEIVED
             * @enum {string}
             */
            kind: "CORRECTED" | "DELIVERED" | "RECEIVED" | "REFUNDED" | "RETURNED" | "SPENT";
            /** @description They add up to zero */
            postings: components["schemas"]["Posting"][];
            /**
             * @description Value of the protocol fee; null if unknown
             * @example null
             */
            protocolFeeUsd: string | null;
            /**
             * @description Token
             * @example 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913
             */
            tokenAddress: components["schemas"]["Address"];
            /**
             * @description Decimals
             * @example 6
             */
            tokenDecimals: number | null;
            /**
             * @description Symbol
             * @example USDC
             */
            tokenSymbol: string;
            /**
             * @description Value of what left, was delivered or refunded; null if unknown
             * @example null
             */
            valueUsd: string | null;
        };
        Posting: {
            /**
             * @description Where money is taken or added
             * @example DEPOSIT_ACCOUNT
             * @enum {string}
             */
            account: "DEPOSIT_ACCOUNT" | "GAS_FEE" | "PROTOCOL_FEE" | "PROVIDER" | "RECIPIENT" | "REFUND_ADDRESS" | "SENDER";
            /**
             * @description Atomic units; negative if taken
             * @example 25000000
             */
            amount: string;
        };
        Usage: {
            /** @description By day and key, oldest first; a day without traffic has no row */
            days: components["schemas"]["UsageDay"][];
            /**
             * @description First day
             * @example 2026-11-01
             */
            from: components["schemas"]["CalendarDate"];
            /** @description The quota of this month */
            quota: components["schemas"]["Quota"];
            /** @description Last day */
            to: components["schemas"]["CalendarDate"];
        };
        UsageDay: {
            /**
             * @description Executions that have not ended
             * @example 1
             */
            active: number;
            /** @description Key of the requests or of the intent; null for deposits without one */
            apiKeyId: components["schemas"]["ApiKeyId"] | null;
            /**
             * @description Label of the key
             * @example production
             */
            apiKeyLabel: string | null;
            /** @description The day */
            date: components["schemas"]["CalendarDate"];
            /**
             * @description Deposits first seen
             * @example 40
             */
            deposits: number;
            /**
             * @description Executions begun
             * @example 38
             */
            executions: number;
            /**
             * @description Executions that ended in another status
             * @example 1
             */
            failed: number;
            /**
             * @description Gas fees collected
             * @example 3.11
             */
            gasFeeUsd: string;
            /**
             * @description Protocol fees forgiven
             * @example 0.00
             */
            protocolFeeForgivenUsd: string;
            /**
             * @description Protocol fees collected
             * @example 456.20
             */
            protocolFeeUsd: string;
            /**
             * @description Requests answered with 400 or more
             * @example 14
             */
            requestErrors: number;
            /**
             * @description Requests with the key
             * @example 5120
             */
            requests: number;
            /**
             * @description Gas paid by the platform
             * @example 0.00
             */
            sponsoredGasUsd: string;
            /**
             * @description Executions that ended in SUCCESS
             * @example 36
             */
            succeeded: number;
            /**
             * @description Volume of the successful executions
             * @example 91240.10
             */
            volumeUsd: string;
        };
        Quota: {
            /**
             * @description Executions in the plan; null means no limit
             * @example 10000
             */
            limit: number | null;
            /**
             * @description The month, in UTC
             * @example 2026-11
             */
            month: string;
            /**
             * Format: date-time
             * @description When the next month starts
             * @example 2026-12-01T00:00:00.000Z
             */
            resetsAt: string;
            /**
             * @description Executions of the month that reached PENDING
             * @example 412
             */
            used: number;
        };
        Coverage: {
            /** @description The chain */
            chainId: components["schemas"]["ChainId"];
            chainKey: components["schemas"]["ChainKey"];
            /** @description Detectors of your deposits of the last 24 hours */
            detectors: components["schemas"]["Detector"][];
            /**
             * @description The newest block
             * @example 38294127
             */
            headBlock: number;
            /**
             * @description Blocks between `scannedBlock` and `headBlock`
             * @example 2
             */
            lagBlocks: number;
            /**
             * @description Seconds between the times of these blocks; null if unknown
             * @example 4
             */
            lagSeconds: number | null;
            /**
             * @description Our scanner has read every block up to this one, without gaps
             * @example 38294125
             */
            scannedBlock: number;
            /**
             * @description Hash of that block
             * @example 0xd60ee5d9b1a312631632d0ab8816ca64259093d8ab0b4d29f35db6a6151b0f8d
             */
            scannedBlockHash: components["schemas"]["Hash"];
            /**
             * Format: date-time
             * @description When the scanner last progressed
             * @example 2026-11-21T10:00:29.000Z
             */
            updatedAt: string;
        };
        Detector: {
            /**
             * @description The detector of deposits
             * @example SCANNER
             * @enum {string}
             */
            detector: "SCANNER" | "SWEEP" | "WEBHOOK";
            /**
             * @description Your deposits of the last 24 hours that it saw first
             * @example 2
             */
            first24h: number;
            /**
             * Format: date-time
             * @description When it last saw one of your deposits
             * @example 2026-11-21T10:00:04.020Z
             */
            lastSeenAt: string | null;
            /**
             * @description Your deposits that it had not seen when they were confirmed
             * @example 0
             */
            missed24h: number;
        };
        RescanRequest: {
            /**
             * @description Instead of the other two: a deposit of stage UNSUPPORTED
             * @example 8453:unsupported:0x25fa55d9f052cb3b815bb1e09504f9f448f2fa9c:0x00000000000000000000000000000000000000ee
             */
            depositId?: components["schemas"]["DepositId"];
            /** @description Chain on which it was sent */
            fromChainId?: components["schemas"]["SupportedChainId"];
            /**
             * @description Transaction that should have made a deposit
             * @example 0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b
             */
            txHash?: string;
        };
        Rescan: {
            /** @description Your deposits from the transaction */
            deposits: components["schemas"]["Deposit"][];
            /** @description The result */
            found: components["schemas"]["RescanResult"];
            /**
             * @description A sentence for your staff
             * @example This deposit is already recorded.
             */
            message: string;
        };
        Search: {
            /**
             * @description The chain that `q` names, if any; results are of every chain
             * @example null
             */
            chainId: components["schemas"]["ChainId"] | null;
            /** @description The last block read of each chain; later deposits are not found yet */
            checked: components["schemas"]["ReadChain"][];
            /** @description Deposits, newest first */
            deposits: components["schemas"]["Deposit"][];
            /** @description Executions that match, and the latest execution of each deposit */
            executions: components["schemas"]["FullExecution"][];
            /** @description Interpretation of `q`; it is always also searched as a user */
            kind: components["schemas"]["SearchKind"];
            /**
             * @description The hash, address or id that `q` names, otherwise `q` itself
             * @example 0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b
             */
            text: string;
            /**
             * @description Symbol, if `q` is the address of a token
             * @example null
             */
            tokenSymbol: string | null;
            /** @description Users with this deposit address, or an id in which `q` begins a word */
            users: components["schemas"]["FoundUser"][];
        };
        FoundUser: {
            /** @description Deposit address of the user */
            depositAddress: components["schemas"]["Address"];
            /** @description The user */
            userId: components["schemas"]["UserId"];
            /** @description For the platform’s operators only */
            organizationId?: components["schemas"]["OrganizationId"];
        };
        ReadChain: {
            /** @description The chain */
            chainId: components["schemas"]["ChainId"];
            chainKey: components["schemas"]["ChainKey"];
            /**
             * @description Every block up to this one was read; null before the first
             * @example 38294125
             */
            scannedBlock: number | null;
        };
        ReasonRequest: {
            reason: components["schemas"]["Reason"];
        };
        ApprovalRequest: {
            /**
             * @description Minimum output to accept, in atomic units of the target token
             * @example 24000000
             */
            amountOutMin: string;
            reason: components["schemas"]["Reason"];
            /**
             * @description The `seq` that you saw, of the execution or of its deposit before a re-drive. If changed: 409 CHANGED_MEANWHILE
             * @example 4
             */
            seq?: number;
        };
        Approved: {
            /**
             * @description Minimum output that is accepted
             * @example 24000000
             */
            amountOutMin: components["schemas"]["Amount"];
            /** @description The execution */
            id: components["schemas"]["ExecutionId"];
            /** @description Who acts next */
            next: components["schemas"]["Next"];
        };
        DeadLetterRequest: {
            reason: components["schemas"]["Reason"];
            /**
             * @description The `seq` that you saw, of the execution or of its deposit before a re-drive. If changed: 409 CHANGED_MEANWHILE
             * @example 4
             */
            seq?: number;
        };
        RedriveRequest: {
            /**
             * @description The intent to use: the user’s current one, or the deposit’s original one. There is no default
             * @example CURRENT
             * @enum {string}
             */
            intent: "CURRENT" | "ORIGINAL";
            reason: components["schemas"]["Reason"];
            /**
             * @description The version of the user’s intent that you saw. If it has changed, nothing is done: 409 CHANGED_MEANWHILE
             * @example 3
             */
            intentVersion?: number;
        };
        RefundRequest: {
            reason: components["schemas"]["Reason"];
            /**
             * @description The version of the user’s intent that you saw. If it has changed, nothing is done: 409 CHANGED_MEANWHILE
             * @example 3
             */
            intentVersion?: number;
        };
        Redriven: {
            /** @description Its money in the account, in atomic units, measured on chain */
            amountIn: components["schemas"]["Amount"];
            /** @description The deposit whose money it routes */
            depositId: components["schemas"]["DepositId"];
            /**
             * @description The new execution
             * @example 8453:0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b:12:r1
             */
            id: components["schemas"]["ExecutionId"];
            /** @description The execution that it re-drives */
            redriveOf: components["schemas"]["ExecutionId"];
        };
        JobRequest: {
            /**
             * @description The executions, by the filters of `GET /api/executions`; at least one filter
             * @example {
             *       "causeCode": "PROVIDER_FAILED"
             *     }
             */
            filter: Record<string, never>;
            reason: components["schemas"]["Reason"];
            /**
             * @description The action on each execution
             * @example retry
             * @enum {string}
             */
            verb: "redrive" | "retry";
            /**
             * @description The intent to use; required for `redrive`
             * @example CURRENT
             * @enum {string|null}
             */
            intent?: "CURRENT" | "ORIGINAL" | null;
            /**
             * @description When you saw the executions; by default now. Executions created, failed or ended later are left out, and no recipient stored later is paid
             * @example 2026-11-21T10:00:25.310Z
             */
            seenAt?: components["schemas"]["SentTime"];
        };
        JobBegun: {
            /** @description The job */
            id: components["schemas"]["JobId"];
            /**
             * @description Executions that match
             * @example 12
             */
            matched: number;
        };
        Job: {
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-11-21T10:00:24.640Z
             */
            createdAt: string;
            /**
             * @description Executions finished so far
             * @example 11
             */
            done: number;
            /**
             * @description Executions that refused the action
             * @example 1
             */
            failed: number;
            /** @description The job */
            id: components["schemas"]["JobId"];
            /**
             * @description The intent to use, for `redrive`
             * @example null
             */
            intent: string | null;
            /**
             * @description Executions that matched when it was created
             * @example 12
             */
            matched: number;
            /**
             * @description The reason
             * @example The provider is back
             */
            reason: string;
            /**
             * @description Whether work is left
             * @example DONE
             * @enum {string}
             */
            state: "DONE" | "RUNNING";
            /**
             * Format: date-time
             * @description When it last progressed
             * @example 2026-11-21T10:00:24.640Z
             */
            updatedAt: string;
            /**
             * @description The action on each execution
             * @example retry
             * @enum {string}
             */
            verb: "redrive" | "retry";
        };
        PauseRequest: {
            reason: components["schemas"]["Reason"];
            /**
             * @description When it ends automatically; null if an operator must end it
             * @example 2026-12-01T00:00:00.000Z
             */
            until?: components["schemas"]["SentTime"] | null;
            /**
             * @description The `version` of the pause that you saw, null for none. If it has changed, nothing is done: 409 CHANGED_MEANWHILE
             * @example null
             */
            version?: string | null;
        };
        Pause: {
            /**
             * Format: date-time
             * @description When it began
             * @example 2026-11-21T10:00:24.640Z
             */
            createdAt: string;
            /**
             * @description Whether it is the pause that you name `organization`
             * @example true
             */
            isOwn: boolean;
            /**
             * @description The reason
             * @example The recipient’s exchange asked for it
             */
            reason: string;
            /**
             * @description What is paused
             * @example organization
             */
            scope: string;
            /**
             * Format: date-time
             * @description When it ends automatically
             * @example null
             */
            until: string | null;
            /**
             * Format: date-time
             * @description When it was last changed
             * @example 2026-11-21T10:00:24.640Z
             */
            updatedAt: string;
            /**
             * @description Its version, which an action on it can name (8.5)
             * @example 4
             */
            version: string;
            /** @description For the platform’s operators only: the organization, if one is paused */
            organizationId?: components["schemas"]["OrganizationId"];
        };
        ScanRequest: {
            /** @description one of 8453, 1, 137, 42161, 43114 */
            chainId: components["schemas"]["SupportedChainId"];
            /**
             * @description The first block
             * @example 38294000
             */
            fromBlock: number;
            reason: components["schemas"]["Reason"];
            /**
             * @description The last block; at most 50000 blocks in all
             * @example 38294117
             */
            toBlock: number;
        };
        ScanBegun: {
            /** @description The scan */
            id: components["schemas"]["ScanId"];
        };
        Scan: {
            /** @description The chain */
            chainId: components["schemas"]["ChainId"];
            chainKey: components["schemas"]["ChainKey"];
            /**
             * Format: date-time
             * @description When it was created
             * @example 2026-11-21T10:00:24.640Z
             */
            createdAt: string;
            /**
             * @description New deposits
             * @example 0
             */
            found: number;
            /**
             * @description The first block
             * @example 38294000
             */
            fromBlock: number;
            /** @description The scan */
            id: components["schemas"]["ScanId"];
            /**
             * @description The reason
             * @example A user misses a deposit
             */
            reason: string;
            /**
             * @description The last block that was read; null before the first
             * @example 38294117
             */
            scannedBlock: number | null;
            /**
             * @description Whether blocks are left to read
             * @example DONE
             * @enum {string}
             */
            state: "DONE" | "RUNNING";
            /**
             * @description The last block
             * @example 38294117
             */
            toBlock: number;
            /**
             * Format: date-time
             * @description When it last progressed
             * @example 2026-11-21T10:00:24.640Z
             */
            updatedAt: string;
        };
        BlacklistEntryRequest: {
            /**
             * @description The token, or the address of a sender or recipient
             * @example 0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9
             */
            address: components["schemas"]["Address"];
            /**
             * @description Kind of entry
             * @example TOKEN
             * @enum {string}
             */
            kind: "ADDRESS" | "TOKEN";
            /**
             * @description `ALLOWED` overrides an imported entry
             * @example SCAM
             * @enum {string}
             */
            listedAs: "ALLOWED" | "MALICIOUS" | "SANCTIONED" | "SCAM";
            reason: components["schemas"]["Reason"];
            /** @description The chain; null means every chain */
            chainId?: components["schemas"]["SupportedChainId"] | null;
            /**
             * @description When it expires; null means never
             * @example 2026-12-01T00:00:00.000Z
             */
            expiresAt?: components["schemas"]["SentTime"] | null;
            /**
             * @description The `version` of the entry that it replaces; null to add one
             * @example null
             */
            version?: string | null;
        };
        BlacklistEntry: {
            /**
             * @description The token or address
             * @example 0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9
             */
            address: components["schemas"]["Address"];
            /** @description The chain; null means every chain */
            chainId: components["schemas"]["ChainId"] | null;
            /** @description Its key */
            chainKey: components["schemas"]["ChainKey"] | null;
            /**
             * Format: date-time
             * @description When it was listed
             * @example 2026-11-21T10:00:24.640Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it expires
             * @example null
             */
            expiresAt: string | null;
            /** @description The entry */
            id: components["schemas"]["BlacklistEntryId"];
            /**
             * @description Kind of entry
             * @example TOKEN
             * @enum {string}
             */
            kind: "ADDRESS" | "TOKEN";
            /**
             * @description Reason of the listing
             * @example SCAM
             * @enum {string}
             */
            listedAs: "ALLOWED" | "MALICIOUS" | "SANCTIONED" | "SCAM";
            /**
             * @description The reason
             * @example It imitates another token
             */
            reason: string;
            /**
             * @description Origin of the entry
             * @example OPERATOR
             * @enum {string}
             */
            source: "IMPORT" | "OPERATOR";
            /**
             * Format: date-time
             * @description When it was last changed
             * @example 2026-11-21T10:00:24.640Z
             */
            updatedAt: string;
            /**
             * @description Its version, which an action on it can name (8.5)
             * @example 4
             */
            version: string;
        };
        StateCount: {
            /**
             * @description Number of executions
             * @example 3
             */
            count: number;
            /**
             * Format: date-time
             * @description When the oldest of them was detected
             * @example 2026-11-21T10:00:24.640Z
             */
            oldestAt: string;
            /**
             * @description State of the machine; see `GET /api/lifecycle`
             * @example RUNNING
             */
            state: string;
            /** @description Its status; null before there is one; [what each means](#/Service/getLifecycle) */
            status: components["schemas"]["ExecutionStatus"] | null;
            /**
             * @description Number superseded by another execution
             * @example 0
             */
            superseded: number;
        };
        ProviderHealth: {
            /**
             * @description Circuit breaker; while OPEN, the provider gets only probes
             * @example CLOSED
             * @enum {string}
             */
            breaker: "CLOSED" | "OPEN";
            /**
             * Format: date-time
             * @description Since when it has refused our credentials; null while it accepts them
             * @example null
             */
            credentialsRefusedAt: string | null;
            /**
             * @description Share of the calls that failed
             * @example 0.004
             */
            errorRate: number;
            /**
             * @description Whether it responds correctly
             * @example true
             */
            healthy: boolean;
            /**
             * @description Median duration of a call
             * @example 210
             */
            p50Ms: number | null;
            /**
             * @description 95th percentile of the duration of a call
             * @example 640
             */
            p95Ms: number | null;
            /**
             * @description Key of the provider
             * @example lifi
             */
            provider: string;
            /**
             * @description The unreadable part of its responses; null if all can be read
             * @example null
             */
            unreadable: string | null;
            /**
             * Format: date-time
             * @description Time of the last request
             * @example 2026-11-21T10:00:23.871Z
             */
            updatedAt: string | null;
        };
        AuditEntry: {
            /** @description The actor */
            actor: components["schemas"]["Actor"];
            /**
             * Format: date-time
             * @description Time of the action
             * @example 2026-11-21T10:22:08.004Z
             */
            at: string;
            /**
             * @description Further details
             * @example {
             *       "intent": "CURRENT",
             *       "intentVersion": 4
             *     }
             */
            details: Record<string, never>;
            /**
             * @description SHA-256 of the entry and the hash before it
             * @example 9b0c1f6f0e1d6a3cf4f8a8b3a0d7e2c5b1f4d9e8c7a6b5f4e3d2c1b0a9f8e7d6
             */
            hash: string | null;
            /** @description The entry */
            id: components["schemas"]["AuditEntryId"];
            /**
             * @description The reason
             * @example Integrator moved the target to USDC on arbitrum
             */
            reason: string | null;
            /**
             * @description The request that caused it
             * @example req_3nK8vQ0cYxW2tB7mZs1LpA
             */
            requestId: string | null;
            /**
             * @description Its position in the chain of its organization
             * @example 17
             */
            seq: number | null;
            /**
             * @description The target of the action
             * @example 8453:0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b:12
             */
            target: string;
            /**
             * @description The action
             * @example execution.redrive
             */
            verb: string;
            /** @description For the platform’s operators only */
            organizationId?: components["schemas"]["OrganizationId"];
        };
        Actor: {
            /** @description Id of the key or member */
            id: components["schemas"]["ActorId"];
            /**
             * @description Kind of actor
             * @example API_KEY
             * @enum {string}
             */
            kind: "API_KEY" | "MEMBER" | "SYSTEM";
            /**
             * @description Name for people
             * @example on-call
             */
            label: string;
        };
        Overdue: {
            /**
             * Format: date-time
             * @description When it should have progressed
             * @example 2026-11-21T10:40:25.310Z
             */
            by: string;
            /** @description The chain, if one is concerned */
            chainId: components["schemas"]["ChainId"] | null;
            /** @description The deposit concerned */
            depositId: components["schemas"]["DepositId"] | null;
            /** @description Its execution, once it is shown */
            executionId: components["schemas"]["ExecutionId"] | null;
            /** @description What is overdue; more values may be added */
            kind: components["schemas"]["OverdueKind"];
            /**
             * @description The problem, in one or two sentences
             * @example The delivery is taking longer than expected.
             */
            message: string;
            /**
             * @description Key of the provider, if one is concerned
             * @example lifi
             */
            provider: string | null;
            /**
             * Format: date-time
             * @description Time of its last progress
             * @example 2026-11-21T10:00:25.310Z
             */
            since: string;
            /**
             * @description For the platform’s operators: what to do about it
             * @example Ask the provider about the source transaction.
             */
            advice?: string;
            /** @description For the platform’s operators: the organization concerned, if any */
            organizationId?: components["schemas"]["OrganizationId"] | null;
        };
        WebhookEndpointRequest: {
            /**
             * @description URL that receives events: https, on the public Internet
             * @example https://example.com/hooks
             */
            url: string;
            /**
             * @description Your note
             * @example Checkout
             */
            description?: string | null;
            /**
             * @description Types of events, or families such as `deposit.*`
             * @example [
             *       "deposit.*",
             *       "execution.*"
             *     ]
             */
            types?: string[];
        };
        WebhookEndpointChangeRequest: {
            /**
             * @description Your note
             * @example Checkout
             */
            description?: string | null;
            /**
             * @description Whether events are posted
             * @example true
             */
            enabled?: boolean;
            /**
             * @description Types of events, or families such as `deposit.*`
             * @example [
             *       "deposit.*",
             *       "execution.*"
             *     ]
             */
            types?: string[];
            /**
             * @description New URL that receives events
             * @example https://example.com/hooks
             */
            url?: string;
        };
        WebhookEndpoint: {
            /**
             * Format: date-time
             * @description When it was made
             * @example 2026-11-21T10:00:24.640Z
             */
            createdAt: string;
            /**
             * @description Your note
             * @example Checkout
             */
            description: string | null;
            /**
             * @description Why an endpoint is disabled
             * @example null
             */
            disabledReason: components["schemas"]["WebhookDisabledReason"] | null;
            /**
             * @description Whether events are posted
             * @example true
             */
            enabled: boolean;
            /** @description The id */
            id: components["schemas"]["WebhookEndpointId"];
            /**
             * Format: date-time
             * @description Last attempt that failed
             * @example null
             */
            lastFailureAt: string | null;
            /**
             * Format: date-time
             * @description Last 2xx
             * @example 2026-11-21T10:00:30.911Z
             */
            lastSuccessAt: string | null;
            /**
             * @description Types of events that it receives
             * @example [
             *       "deposit.*",
             *       "execution.*"
             *     ]
             */
            types: string[];
            /**
             * Format: date-time
             * @description When it was last changed
             * @example 2026-11-21T10:00:24.640Z
             */
            updatedAt: string;
            /**
             * @description URL that receives events
             * @example https://example.com/hooks
             */
            url: string;
        };
        WebhookEndpointCreated: components["schemas"]["WebhookEndpoint"] & {
            /**
             * @description Shown only once; verifies the posted events
             * @example whsec_CjBwImXFcp8GEH1osqZixNs9kG2x7EWJSCpsNVppPV0=
             */
            secret: string;
        };
        WebhookRotationRequest: {
            /**
             * @description Seconds for which the previous secret also signs; by default a day
             * @example 86400
             */
            overlapSeconds?: number;
        };
        WebhookSecret: {
            /**
             * Format: date-time
             * @description Until when the previous secret also signs
             * @example 2026-11-22T10:00:24.640Z
             */
            previousExpiresAt: string;
            /**
             * @description Shown only once; verifies the posted events
             * @example whsec_CjBwImXFcp8GEH1osqZixNs9kG2x7EWJSCpsNVppPV0=
             */
            secret: string;
        };
        WebhookTestRequest: {
            /**
             * @description By default `webhook.test`
             * @example webhook.test
             */
            type?: string;
        };
        WebhookAttempt: {
            /**
             * Format: date-time
             * @description When it began
             * @example 2026-11-21T10:00:30.911Z
             */
            at: string;
            /**
             * @description Finer reason of `error`; null if unknown
             * @example null
             */
            cause: components["schemas"]["WebhookAttemptCause"] | null;
            /**
             * @description Duration in milliseconds
             * @example 412
             */
            durationMs: number;
            /**
             * @description Why there was no response
             * @example null
             */
            error: components["schemas"]["WebhookAttemptError"] | null;
            /**
             * @description Response status; null without a response
             * @example 503
             */
            statusCode: number | null;
        };
        WebhookAttemptDetail: components["schemas"]["WebhookAttempt"] & {
            /**
             * @description The first 1000 characters of the response; null without one, or if it was not stored
             * @example Service unavailable
             */
            responseText: string | null;
            /**
             * @description Headers of the request; null if none was sent or stored
             * @example {
             *       "content-type": "application/json",
             *       "user-agent": "Switchyard-Webhooks/1",
             *       "webhook-id": "evt_01M7YRSJYY0008WRK1GT14EE0Q",
             *       "webhook-timestamp": "1795255200",
             *       "webhook-signature": "v1,46rmsWp7zxu+6zLIpwt0kclTMFiyinuC5K/Xci4nQnY="
             *     }
             */
            sentHeaders: {
                [key: string]: string;
            } | null;
        };
        WebhookDelivery: {
            /**
             * @description Attempts so far
             * @example 2
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When the delivery was created, up to a minute before it was stored
             * @example 2026-11-21T10:00:25.402Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was accepted
             * @example null
             */
            deliveredAt: string | null;
            /** @description The event: `webhook-id` */
            eventId: components["schemas"]["EventId"];
            /** @description The id */
            id: components["schemas"]["WebhookDeliveryId"];
            /** @description The last attempt */
            lastAttempt: components["schemas"]["WebhookAttempt"] | null;
            /**
             * Format: date-time
             * @description Time of the next attempt
             * @example 2026-11-21T10:05:31.020Z
             */
            nextAttemptAt: string | null;
            status: components["schemas"]["WebhookDeliveryStatus"];
            /**
             * @description Its type
             * @example execution.running
             */
            type: string;
            /** @description The user of the event; null if none */
            userId: components["schemas"]["UserId"] | null;
        };
        WebhookDeliveryDetail: components["schemas"]["WebhookDelivery"] & {
            /** @description The attempts, oldest first; at most the last 21 */
            allAttempts: components["schemas"]["WebhookAttemptDetail"][];
            /**
             * @description The signed and posted body, byte for byte; shortened in this example
             * @example {"id":"evt_01M7YRSJYY0008WRK1GT14EE0Q","type":"execution.running","seq":8}
             */
            body: string;
        };
        WebhookResendRequest: {
            /** @description One event; send it without a range */
            eventId?: components["schemas"]["EventId"];
            /**
             * @description Only permanently failed deliveries, as `statuses` of FAILED; by default false
             * @example true
             */
            onlyFailed?: boolean;
            /** @description Deliveries created at this time or later */
            since?: components["schemas"]["SentTime"];
            /**
             * @description Only deliveries with one of these statuses; by default all
             * @example [
             *       "RETRYING",
             *       "FAILED"
             *     ]
             */
            statuses?: components["schemas"]["WebhookDeliveryStatus"][];
            /**
             * @description Deliveries created before this time; by default now
             * @example 2026-11-21T11:00:00.000Z
             */
            until?: components["schemas"]["SentTime"];
        };
        WebhookResent: {
            /**
             * Format: date-time
             * @description The next `since`, which can repeat a few; null at the end of the range
             * @example null
             */
            nextSince: string | null;
            /**
             * @description Number of deliveries that are posted again
             * @example 1
             */
            scheduled: number;
        };
        Error: {
            /**
             * @description The name of the HTTP status
             * @example Bad Request
             */
            error: string;
            /**
             * @description The problem, in words for people
             * @example targetAddress is required
             */
            message: string;
            /**
             * @description The HTTP status
             * @example 400
             */
            statusCode: number;
            /**
             * @description Why a target is refused, as in `x-error-code`
             * @example TARGET_TOKEN_NOT_FOUND
             */
            code?: string;
        };
        SimulationRefused: components["schemas"]["Error"] & Record<string, never>;
    };
    responses: {
        /** @description Your cached response is still current. */
        NotModified: {
            headers: {
                etag: components["headers"]["etag"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The intent, new or updated. */
        TheIntentNewOrUpdated: {
            headers: {
                "idempotent-replayed": components["headers"]["idempotent-replayed"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "userId": "user-1",
                 *       "depositAddress": "0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C",
                 *       "targetChainId": 42161,
                 *       "targetChainKey": "arbitrum",
                 *       "targetTokenAddress": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
                 *       "targetAddress": "0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115",
                 *       "protocolFeeBps": 50,
                 *       "sponsoredGas": false,
                 *       "createdAt": "2026-11-21T09:58:12.004Z",
                 *       "updatedAt": "2026-11-21T09:58:12.004Z"
                 *     }
                 */
                "application/json": components["schemas"]["DepositIntent"];
            };
        };
        /** @description The deposits. */
        TheDeposits: {
            headers: {
                etag: components["headers"]["etag"];
                link: components["headers"]["link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Deposit"][];
            };
        };
        /** @description The new execution has begun. */
        TheNewExecutionHasBegun: {
            headers: {
                "idempotent-replayed": components["headers"]["idempotent-replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Redriven"];
            };
        };
        /** @description `INTERNAL_ERROR` */
        InternalError: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `UNKNOWN_PARAMETER` */
        UnknownParameter: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `MISSING_API_KEY`, `INVALID_API_KEY`, `API_KEY_EXPIRED` */
        Unauthorized: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `INSUFFICIENT_PERMISSIONS`, `ADDRESS_NOT_ALLOWED` */
        Forbidden: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `RATE_LIMITED` */
        RateLimited: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                "ratelimit-limit": components["headers"]["limit"];
                "ratelimit-remaining": components["headers"]["remaining"];
                "ratelimit-reset": components["headers"]["reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `STORE_UNAVAILABLE` */
        Unavailable: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `VALIDATION_FAILED`, `UNKNOWN_PARAMETER` */
        InvalidQuery: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `PAYLOAD_TOO_LARGE` */
        PayloadTooLarge: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE` */
        UnsupportedMediaType: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `RATE_LIMITED`, `QUOTA_EXCEEDED` */
        RateLimitedOrQuotaExceeded: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                "ratelimit-limit": components["headers"]["limit"];
                "ratelimit-remaining": components["headers"]["remaining"];
                "ratelimit-reset": components["headers"]["reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `CHAINS_UNVERIFIED`, `STORE_UNAVAILABLE` */
        ChainsUnverifiedOrStoreUnavailable: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `VALIDATION_FAILED` */
        ValidationFailed: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `NO_DEPOSIT_INTENT` */
        NoDepositIntent: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `VALIDATION_FAILED`, `INVALID_CURSOR`, `UNKNOWN_PARAMETER` */
        InvalidList: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `VALIDATION_FAILED`, `MALFORMED_BODY`, `INVALID_IDEMPOTENCY_KEY` */
        InvalidMutation: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_KEY_IN_FLIGHT` */
        KeyInUse: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `NO_ACCOUNT` */
        NoAccount: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `DEPOSIT_NOT_FOUND` */
        DepositNotFound: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `PROVIDER_UNAVAILABLE`, `STORE_UNAVAILABLE` */
        ProviderUnavailableOrStoreUnavailable: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `VALIDATION_FAILED`, `INVALID_CURSOR` */
        ValidationFailedOrInvalidCursor: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `EXECUTION_NOT_FOUND` */
        ExecutionNotFound: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `EXECUTION_NOT_FOUND`, `NO_RECEIPTS` */
        ExecutionNotFoundOrNoReceipts: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `EXECUTION_NOT_ENDED` */
        ExecutionNotEnded: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `RECEIPT_KEY_UNAVAILABLE`, `STORE_UNAVAILABLE` */
        ReceiptKeyUnavailableOrStoreUnavailable: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `PROVIDER_UNAVAILABLE`, `ROUTING_PAUSED`, `STORE_UNAVAILABLE` */
        ProviderUnavailableOrRoutingPausedOrStoreUnavailable: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `EVENTS_EXPIRED` */
        EventsExpired: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `RATE_LIMITED`, `TOO_MANY_STREAMS` */
        RateLimitedOrTooManyStreams: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                "ratelimit-limit": components["headers"]["limit"];
                "ratelimit-remaining": components["headers"]["remaining"];
                "ratelimit-reset": components["headers"]["reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_KEY_IN_FLIGHT`, `LIMIT_REACHED` */
        KeyInUseOrLimitReached: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `ENDPOINT_NOT_FOUND` */
        EndpointNotFound: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `VALIDATION_FAILED`, `INVALID_IDEMPOTENCY_KEY` */
        ValidationFailedOrInvalidIdempotencyKey: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `ENDPOINT_NOT_FOUND`, `NOT_FOUND` */
        EndpointNotFoundOrNotFound: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `VALIDATION_FAILED`, `MALFORMED_BODY` */
        ValidationFailedOrMalformedBody: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_KEY_IN_FLIGHT`, `NOT_RETRYABLE` */
        KeyInUseOrNotRetryable: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `EXECUTION_NOT_FOUND`, `NO_DEPOSIT_INTENT` */
        ExecutionNotFoundOrNoDepositIntent: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `NOT_FOUND` */
        NotFound: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_KEY_IN_FLIGHT`, `CHANGED_MEANWHILE` */
        KeyInUseOrChangedMeanwhile: {
            headers: {
                "x-error-code": components["headers"]["code"];
                "retry-after": components["headers"]["retry"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `VALIDATION_FAILED`, `INVALID_IDEMPOTENCY_KEY`, `UNKNOWN_PARAMETER` */
        ValidationFailedOrInvalidIdempotencyKeyOrUnknownParameter: {
            headers: {
                "x-error-code": components["headers"]["code"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description A repeated key with the same body returns the first response, for 24 hours */
        idempotencyKey: string;
        /** @description The `etag` of your cached response */
        ifNoneMatch: string;
        /**
         * @description Your stable identifier of the user, compared byte for byte
         * @example user-1
         */
        userId: components["schemas"]["UserId"];
        /** @description Maximum number of rows */
        limit: number;
        /** @description `true` returns `{data, next}` as `application/vnd.switchyard.page+json` instead of an array; `next` begins the next page, and is null on the last */
        envelope: boolean;
        /** @description The end of the previous page, from its `link` or `next`; valid only with the same filters */
        cursor: string;
        /** @description Only those at these stages, separated by commas */
        stages: string;
        /** @description Detected at this time or later */
        ofCreatedFrom: components["schemas"]["SentTime"];
        /** @description Detected before this time */
        ofCreatedTo: components["schemas"]["SentTime"];
        /** @description Address where it arrived */
        ofDepositAddress: components["schemas"]["Address"];
        /** @description Source chain */
        ofFromChainId: components["schemas"]["SupportedChainId"];
        /** @description The token */
        ofFromTokenAddress: components["schemas"]["Address"];
        /** @description Whether the newest or the oldest rows come first */
        order: "newest" | "oldest";
        /** @description Your stable identifier of the user, compared byte for byte */
        ofUserId: components["schemas"]["UserId"];
        /** @description The id */
        executionId: components["schemas"]["ExecutionId"];
        /** @description Start after this event */
        after: string;
        /** @description Only events of this execution */
        ofExecutionId: string;
        /** @description Types or families such as `deposit.*`, separated by commas; by default all except `execution.moved`. More types may be added: ignore unknown types */
        types: string;
        /** @description The id */
        webhookEndpointId: components["schemas"]["WebhookEndpointId"];
        /** @description For the platform’s operators: only this organization */
        ofOrganizationId: string;
        /**
         * @description What is paused: all, chain:<id>, provider:<name>, token:<chain id>:<address>, tenant:<organization id> or organization
         * @example organization
         */
        scope: string;
        /**
         * @description The reason, visible to the integrator
         * @example Integrator moved the target to USDC on arbitrum
         */
        ofReason: components["schemas"]["Reason"];
    };
    requestBodies: {
        DepositEvent: {
            content: {
                "application/json": components["schemas"]["DepositEvent"];
            };
        };
        ExecutionEvent: {
            content: {
                "application/json": components["schemas"]["ExecutionEvent"];
            };
        };
        MoveEvent: {
            content: {
                "application/json": components["schemas"]["MoveEvent"];
            };
        };
        IntentEvent: {
            content: {
                "application/json": components["schemas"]["IntentEvent"];
            };
        };
        IntentHeldEvent: {
            content: {
                "application/json": components["schemas"]["IntentHeldEvent"];
            };
        };
        ChainEvent: {
            content: {
                "application/json": components["schemas"]["ChainEvent"];
            };
        };
        QuotaEvent: {
            content: {
                "application/json": components["schemas"]["QuotaEvent"];
            };
        };
        ApiKeyEvent: {
            content: {
                "application/json": components["schemas"]["ApiKeyEvent"];
            };
        };
        WebhookEndpointEvent: {
            content: {
                "application/json": components["schemas"]["WebhookEndpointEvent"];
            };
        };
    };
    headers: {
        /**
         * @description Burst of this request’s rate class
         * @example 100
         */
        limit: number;
        /**
         * @description Requests left in the burst
         * @example 99
         */
        remaining: number;
        /**
         * @description Seconds until the burst is full again
         * @example 1
         */
        reset: number;
        /**
         * @description Send it back as `if-none-match`: an unchanged response is 304
         * @example W/"3f1c9b0a5d7e2f48"
         */
        etag: string;
        /**
         * @description The next page; absent on the last one
         * @example </api/executions?limit=20&cursor=W10>; rel="next"
         */
        link: string;
        /**
         * @description `true` if this is the stored first response
         * @example true
         */
        "idempotent-replayed": string;
        /**
         * @description Machine-readable reason; more values may be added
         * @example VALIDATION_FAILED
         */
        code: string;
        /**
         * @description Minimum wait, in seconds
         * @example 1
         */
        retry: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service responds. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "timestamp": "2026-11-21T10:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            500: components["responses"]["InternalError"];
        };
    };
    listChains: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The chains. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Chain"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["UnknownParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Only the tokens of this chain */
                chainId?: components["schemas"]["SupportedChainId"];
            };
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    putDepositIntent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userId": "user-1",
                 *       "targetChainId": 42161,
                 *       "targetTokenAddress": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
                 *       "targetAddress": "0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115"
                 *     }
                 */
                "application/json": components["schemas"]["DepositIntentRequest"];
            };
        };
        responses: {
            200: components["responses"]["TheIntentNewOrUpdated"];
            201: components["responses"]["TheIntentNewOrUpdated"];
            /** @description `VALIDATION_FAILED`, `MALFORMED_BODY`, `INVALID_IDEMPOTENCY_KEY`, `TARGET_TOKEN_NOT_FOUND`, `TARGET_TOKEN_OF_OTHER_CHAIN`, `TARGET_TOKEN_BLACKLISTED`, `TARGET_ADDRESS_BLACKLISTED`, `TARGET_ADDRESS_NOT_PAYABLE`, `TARGET_ADDRESS_BLOCKED`, `TARGET_ADDRESS_REFUSES`, `REFUND_ADDRESS_BLACKLISTED`, `REFUND_ADDRESS_NOT_PAYABLE`, `REFUND_ADDRESS_BLOCKED` */
            400: {
                headers: {
                    "x-error-code": components["headers"]["code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_KEY_IN_FLIGHT`, `CHANGE_HELD`, `CHANGED_MEANWHILE` */
            409: {
                headers: {
                    "x-error-code": components["headers"]["code"];
                    "retry-after": components["headers"]["retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimitedOrQuotaExceeded"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainsUnverifiedOrStoreUnavailable"];
        };
    };
    getDepositIntent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /**
                 * @description Your stable identifier of the user, compared byte for byte
                 * @example user-1
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The intent. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "user-1",
                     *       "depositAddress": "0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C",
                     *       "targetChainId": 42161,
                     *       "targetChainKey": "arbitrum",
                     *       "targetTokenAddress": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
                     *       "targetAddress": "0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115",
                     *       "protocolFeeBps": 50,
                     *       "sponsoredGas": false,
                     *       "createdAt": "2026-11-21T09:58:12.004Z",
                     *       "updatedAt": "2026-11-21T09:58:12.004Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DepositIntent"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoDepositIntent"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDepositIntentVersions: {
        parameters: {
            query?: {
                /** @description Maximum number of rows */
                limit?: components["parameters"]["limit"];
                /** @description `true` returns `{data, next}` as `application/vnd.switchyard.page+json` instead of an array; `next` begins the next page, and is null on the last */
                envelope?: components["parameters"]["envelope"];
                /** @description The end of the previous page, from its `link` or `next`; valid only with the same filters */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /**
                 * @description Your stable identifier of the user, compared byte for byte
                 * @example user-1
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    link: components["headers"]["link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "version": 3,
                     *         "targetChainId": 42161,
                     *         "targetChainKey": "arbitrum",
                     *         "targetTokenAddress": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
                     *         "targetAddress": "0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115",
                     *         "refundAddress": null,
                     *         "protocolFeeBps": 50,
                     *         "sponsoredGas": false,
                     *         "apiKeyId": "key_9fT2",
                     *         "actor": {
                     *           "kind": "API_KEY",
                     *           "id": "key_9fT2",
                     *           "label": "production"
                     *         },
                     *         "sealed": true,
                     *         "createdAt": "2026-11-21T09:58:12.004Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DepositIntentVersion"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidList"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ownerAddress": "user-1",
                 *       "chainKey": "base",
                 *       "label": "Alice"
                 *     }
                 */
                "application/json": components["schemas"]["AccountRequest"];
            };
        };
        responses: {
            /** @description The account. */
            201: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "user-1",
                     *       "modularAccountAddress": "0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C",
                     *       "canonicalChainId": 8453,
                     *       "canonicalChainKey": "base",
                     *       "supportedChains": [
                     *         8453,
                     *         1,
                     *         137,
                     *         42161,
                     *         43114
                     *       ],
                     *       "label": "Alice",
                     *       "createdAt": "2026-11-21T09:58:12.001Z",
                     *       "updatedAt": "2026-11-21T09:58:12.001Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AccountCreated"];
                };
            };
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["KeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainsUnverifiedOrStoreUnavailable"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /**
                 * @description Your stable identifier of the user, compared byte for byte
                 * @example user-1
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "user-1",
                     *       "modularAccountAddress": "0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C",
                     *       "canonicalChainId": 8453,
                     *       "canonicalChainKey": "base",
                     *       "supportedChains": [
                     *         8453,
                     *         1,
                     *         137,
                     *         42161,
                     *         43114
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Account"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoAccount"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDepositAddress: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /**
                 * @description Your stable identifier of the user, compared byte for byte
                 * @example user-1
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The instructions. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DepositAddress"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoAccount"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAccountProof: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /** @description A deposit address */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The proof. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountProof"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoAccount"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listUserDeposits: {
        parameters: {
            query?: {
                /** @description Maximum number of rows */
                limit?: components["parameters"]["limit"];
                /** @description `true` returns `{data, next}` as `application/vnd.switchyard.page+json` instead of an array; `next` begins the next page, and is null on the last */
                envelope?: components["parameters"]["envelope"];
                /** @description The end of the previous page, from its `link` or `next`; valid only with the same filters */
                cursor?: components["parameters"]["cursor"];
                /** @description Only those at these stages, separated by commas */
                stage?: components["parameters"]["stages"];
            };
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /**
                 * @description Your stable identifier of the user, compared byte for byte
                 * @example user-1
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TheDeposits"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidList"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeposits: {
        parameters: {
            query?: {
                /** @description Maximum number of rows */
                limit?: components["parameters"]["limit"];
                /** @description `true` returns `{data, next}` as `application/vnd.switchyard.page+json` instead of an array; `next` begins the next page, and is null on the last */
                envelope?: components["parameters"]["envelope"];
                /** @description Detected at this time or later */
                createdFrom?: components["parameters"]["ofCreatedFrom"];
                /** @description Detected before this time */
                createdTo?: components["parameters"]["ofCreatedTo"];
                /** @description The end of the previous page, from its `link` or `next`; valid only with the same filters */
                cursor?: components["parameters"]["cursor"];
                /** @description Address where it arrived */
                depositAddress?: components["parameters"]["ofDepositAddress"];
                /** @description The sender */
                fromAddress?: components["schemas"]["Address"];
                /** @description Source chain */
                fromChainId?: components["parameters"]["ofFromChainId"];
                /** @description The token */
                fromTokenAddress?: components["parameters"]["ofFromTokenAddress"];
                /** @description Whether the newest or the oldest rows come first */
                order?: components["parameters"]["order"];
                /** @description Only those at these stages, separated by commas */
                stage?: components["parameters"]["stages"];
                /** @description The funding transaction */
                txHash?: string;
                /** @description Your stable identifier of the user, compared byte for byte */
                userId?: components["parameters"]["ofUserId"];
            };
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TheDeposits"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidList"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDeposit: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /** @description The id */
                id: components["schemas"]["DepositId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deposit. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DepositDetail"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["DepositNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rescanDeposit: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "fromChainId": 8453,
                 *       "txHash": "0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b"
                 *     }
                 */
                "application/json": components["schemas"]["RescanRequest"];
            };
        };
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rescan"];
                };
            };
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["DepositNotFound"];
            409: components["responses"]["KeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ProviderUnavailableOrStoreUnavailable"];
        };
    };
    search: {
        parameters: {
            query: {
                /**
                 * @description A hash, address, deposit, execution, route, user or amount, or the link of an explorer page
                 * @example 0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b
                 */
                q: string;
                /** @description Maximum number of rows */
                limit?: components["parameters"]["limit"];
            };
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Search"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listUserExecutions: {
        parameters: {
            query?: {
                /** @description Rows to skip; prefer `cursor` for growing lists */
                offset?: number;
                /** @description Maximum number of rows */
                limit?: components["parameters"]["limit"];
                /** @description `true` returns `{data, next}` as `application/vnd.switchyard.page+json` instead of an array; `next` begins the next page, and is null on the last */
                envelope?: components["parameters"]["envelope"];
                /** @description The end of the previous page, from its `link` or `next`; valid only with the same filters */
                cursor?: components["parameters"]["cursor"];
                /** @description Adds what arrived to each row */
                include?: string;
                /** @description Only those with this status; [what each means](#/Service/getLifecycle) */
                status?: components["schemas"]["ExecutionStatus"];
            };
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /**
                 * @description Your stable identifier of the user, compared byte for byte
                 * @example user-1
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The executions. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    link: components["headers"]["link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "8453:0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b:12",
                     *         "routeId": "0x304da940c769b8672196a9c1177a985dc19f1f14eeecd30157e09bec52980e9b",
                     *         "userId": "user-1",
                     *         "status": "RUNNING",
                     *         "fromChainId": 8453,
                     *         "fromChainKey": "base",
                     *         "fromTokenSymbol": "USDC",
                     *         "fromTokenAddress": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                     *         "toChainId": 42161,
                     *         "toChainKey": "arbitrum",
                     *         "toTokenSymbol": "USDC",
                     *         "toTokenAddress": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
                     *         "amountIn": "25000000",
                     *         "amountOutExpected": "24831711",
                     *         "txHash": "0xecca78d742097757150508fff9c4c1fcd598c18b27b41c04876f6d0efa1f67af",
                     *         "retryable": false,
                     *         "retryCount": 0,
                     *         "lastErrorCode": null,
                     *         "lastErrorMessage": null,
                     *         "lastErrorCategory": null,
                     *         "createdAt": "2026-11-21T10:00:24.640Z",
                     *         "updatedAt": "2026-11-21T10:00:25.310Z",
                     *         "completedAt": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["UserExecution"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["ValidationFailedOrInvalidCursor"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listExecutions: {
        parameters: {
            query?: {
                /** @description Maximum number of rows */
                limit?: components["parameters"]["limit"];
                /** @description `true` returns `{data, next}` as `application/vnd.switchyard.page+json` instead of an array; `next` begins the next page, and is null on the last */
                envelope?: components["parameters"]["envelope"];
                /** @description The key that created the intent */
                apiKeyId?: string;
                /** @description Cause of the last failure */
                causeCode?: "ABANDONED" | "ADDRESS_BLACKLISTED" | "BALANCE_TOO_LOW" | "DEPOSIT_MOVED" | "DEPOSIT_NOT_ON_CHAIN" | "FEES_EXCEED_DEPOSIT" | "FUNDS_RETURNED" | "GAS_ESTIMATE_FAILED" | "INTENT_NOT_SEALED" | "INVALID_AMOUNT" | "INVALID_TARGET" | "MONTHLY_QUOTA_REACHED" | "NO_ROUTE" | "ORDER_LAPSED" | "PARTIAL_DELIVERY" | "PASSED_ON_TOO_OFTEN" | "PLAN_LIMIT_REACHED" | "PROVIDER_FAILED" | "PROVIDER_MALFORMED" | "PROVIDER_RATE_LIMITED" | "PROVIDER_REFUSED" | "PROVIDER_TIMEOUT" | "PROVIDER_UNAUTHORIZED" | "PROVIDER_UNREACHABLE" | "RECIPIENT_BLOCKED" | "RECIPIENT_REFUSES" | "RECIPIENT_UNSPENDABLE" | "RETURNED_TOO_OFTEN" | "ROUTE_OUTSIDE_POLICY" | "RPC_FAILED" | "RPC_RATE_LIMITED" | "RPC_TIMEOUT" | "RPC_UNREACHABLE" | "SIGNER_REFUSED" | "SIMULATION_REVERTED" | "TOKEN_BLACKLISTED" | "TOKEN_NOT_SUPPORTED" | "TRANSACTION_REVERTED" | "UNEXPECTED";
                /** @description First shown at this time or later */
                createdFrom?: components["schemas"]["SentTime"];
                /** @description First shown before this time */
                createdTo?: components["schemas"]["SentTime"];
                /** @description The end of the previous page, from its `link` or `next`; valid only with the same filters */
                cursor?: components["parameters"]["cursor"];
                /** @description Address where the deposit arrived */
                depositAddress?: components["schemas"]["Address"];
                /** @description The deposit; finds re-drives too */
                depositId?: string;
                /** @description Source chain */
                fromChainId?: components["parameters"]["ofFromChainId"];
                /** @description The deposited token */
                fromTokenAddress?: components["schemas"]["Address"];
                /** @description Whether the newest or the oldest rows come first */
                order?: components["parameters"]["order"];
                /** @description Provider that routes it */
                provider?: string;
                /** @description The route */
                routeId?: string;
                /** @description Only those with these statuses, separated by commas */
                status?: string;
                /** @description false leaves out executions that another execution has superseded; true lists only these */
                superseded?: string;
                /** @description Destination chain */
                toChainId?: components["schemas"]["SupportedChainId"];
                /** @description Any of its transactions: deposit, source (replaced ones too) or destination */
                txHash?: string;
                /** @description Your stable identifier of the user, compared byte for byte */
                userId?: components["parameters"]["ofUserId"];
            };
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The executions. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    link: components["headers"]["link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullExecution"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidList"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["executionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The execution. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionDetail"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ExecutionNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReceipt: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["executionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receipt. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "domain": {
                     *         "name": "Switchyard receipt",
                     *         "version": "1"
                     *       },
                     *       "types": {
                     *         "Receipt": [
                     *           {
                     *             "name": "executionId",
                     *             "type": "string"
                     *           },
                     *           {
                     *             "name": "status",
                     *             "type": "string"
                     *           },
                     *           {
                     *             "name": "causeCode",
                     *             "type": "string"
                     *           },
                     *           {
                     *             "name": "deposit",
                     *             "type": "ReceiptDeposit"
                     *           },
                     *           {
                     *             "name": "intent",
                     *             "type": "ReceiptIntent[]"
                     *           },
                     *           {
                     *             "name": "fees",
                     *             "type": "ReceiptFees[]"
                     *           },
                     *           {
                     *             "name": "route",
                     *             "type": "ReceiptRoute[]"
                     *           },
                     *           {
                     *             "name": "spent",
                     *             "type": "ReceiptSpent[]"
                     *           },
                     *           {
                     *             "name": "delivered",
                     *             "type": "ReceiptDelivered[]"
                     *           },
                     *           {
                     *             "name": "detectedAt",
                     *             "type": "string"
                     *           },
                     *           {
                     *             "name": "createdAt",
                     *             "type": "string"
                     *           },
                     *           {
                     *             "name": "completedAt",
                     *             "type": "string"
                     *           }
                     *         ],
                     *         "ReceiptDeposit": [
                     *           {
                     *             "name": "chainId",
                     *             "type": "uint64"
                     *           },
                     *           {
                     *             "name": "account",
                     *             "type": "address"
                     *           },
                     *           {
                     *             "name": "token",
                     *             "type": "address"
                     *           },
                     *           {
                     *             "name": "amount",
                     *             "type": "uint256"
                     *           },
                     *           {
                     *             "name": "blockNumber",
                     *             "type": "uint64"
                     *           },
                     *           {
                     *             "name": "txHash",
                     *             "type": "bytes32[]"
                     *           },
                     *           {
                     *             "name": "logIndex",
                     *             "type": "uint64[]"
                     *           }
                     *         ],
                     *         "ReceiptIntent": [
                     *           {
                     *             "name": "version",
                     *             "type": "uint64"
                     *           },
                     *           {
                     *             "name": "chainId",
                     *             "type": "uint64"
                     *           },
                     *           {
                     *             "name": "token",
                     *             "type": "address"
                     *           },
                     *           {
                     *             "name": "recipient",
                     *             "type": "address"
                     *           }
                     *         ],
                     *         "ReceiptFees": [
                     *           {
                     *             "name": "received",
                     *             "type": "uint256"
                     *           },
                     *           {
                     *             "name": "protocolFee",
                     *             "type": "uint256"
                     *           },
                     *           {
                     *             "name": "protocolFeeForgiven",
                     *             "type": "uint256"
                     *           },
                     *           {
                     *             "name": "gasFee",
                     *             "type": "uint256"
                     *           },
                     *           {
                     *             "name": "routed",
                     *             "type": "int256"
                     *           },
                     *           {
                     *             "name": "collected",
                     *             "type": "bool"
                     *           }
                     *         ],
                     *         "ReceiptRoute": [
                     *           {
                     *             "name": "routeId",
                     *             "type": "bytes32"
                     *           },
                     *           {
                     *             "name": "provider",
                     *             "type": "string"
                     *           }
                     *         ],
                     *         "ReceiptSpent": [
                     *           {
                     *             "name": "chainId",
                     *             "type": "uint64"
                     *           },
                     *           {
                     *             "name": "txHash",
                     *             "type": "bytes32"
                     *           },
                     *           {
                     *             "name": "blockNumber",
                     *             "type": "uint64"
                     *           },
                     *           {
                     *             "name": "token",
                     *             "type": "address"
                     *           },
                     *           {
                     *             "name": "amount",
                     *             "type": "uint256"
                     *           }
                     *         ],
                     *         "ReceiptDelivered": [
                     *           {
                     *             "name": "chainId",
                     *             "type": "uint64"
                     *           },
                     *           {
                     *             "name": "txHash",
                     *             "type": "bytes32"
                     *           },
                     *           {
                     *             "name": "blockNumber",
                     *             "type": "uint64"
                     *           },
                     *           {
                     *             "name": "token",
                     *             "type": "address"
                     *           },
                     *           {
                     *             "name": "recipient",
                     *             "type": "address"
                     *           },
                     *           {
                     *             "name": "amount",
                     *             "type": "uint256"
                     *           }
                     *         ]
                     *       },
                     *       "primaryType": "Receipt",
                     *       "message": {
                     *         "executionId": "8453:0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b:12",
                     *         "status": "SUCCESS",
                     *         "causeCode": "",
                     *         "deposit": {
                     *           "chainId": 8453,
                     *           "account": "0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C",
                     *           "token": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                     *           "amount": "25000000",
                     *           "blockNumber": 38294101,
                     *           "txHash": [
                     *             "0xfff6af94ad085e746ec18a678493ce934324cd8cd07a06dd4d7120c0cf486e3b"
                     *           ],
                     *           "logIndex": [
                     *             12
                     *           ]
                     *         },
                     *         "intent": [
                     *           {
                     *             "version": 3,
                     *             "chainId": 42161,
                     *             "token": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
                     *             "recipient": "0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115"
                     *           }
                     *         ],
                     *         "fees": [
                     *           {
                     *             "received": "25000000",
                     *             "protocolFee": "125000",
                     *             "protocolFeeForgiven": "0",
                     *             "gasFee": "18432",
                     *             "routed": "24856568",
                     *             "collected": true
                     *           }
                     *         ],
                     *         "route": [
                     *           {
                     *             "routeId": "0x304da940c769b8672196a9c1177a985dc19f1f14eeecd30157e09bec52980e9b",
                     *             "provider": "lifi"
                     *           }
                     *         ],
                     *         "spent": [
                     *           {
                     *             "chainId": 8453,
                     *             "txHash": "0xecca78d742097757150508fff9c4c1fcd598c18b27b41c04876f6d0efa1f67af",
                     *             "blockNumber": 38294120,
                     *             "token": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                     *             "amount": "25000000"
                     *           }
                     *         ],
                     *         "delivered": [
                     *           {
                     *             "chainId": 42161,
                     *             "txHash": "0x5c8f1f24e0ec6b1a1f5ad5e7f2f2df23e6cdb07bd75d4d3d7ed40ea2f39f8a10",
                     *             "blockNumber": 402118233,
                     *             "token": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
                     *             "recipient": "0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115",
                     *             "amount": "24831711"
                     *           }
                     *         ],
                     *         "detectedAt": "2026-11-21T10:00:02.118Z",
                     *         "createdAt": "2026-11-21T10:00:24.640Z",
                     *         "completedAt": "2026-11-21T10:01:02.118Z"
                     *       },
                     *       "digest": "0x95d5d16c6f30bb40bd0924ef7f40934df8439c3fe099672b2eb945904d8554f2",
                     *       "signer": "0xAe72A48c1a36bd18Af168541c53037965d26e4A8",
                     *       "signature": "0xd543606df0294fa338f17c266f02c1d27713ccde8af3ca8f9fb80231f295d53e50d7108a48d50a2fceb51f27c1ea4d942560e2e8d624cd36e185700fcb2aac1e1b"
                     *     }
                     */
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ExecutionNotFoundOrNoReceipts"];
            409: components["responses"]["ExecutionNotEnded"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ReceiptKeyUnavailableOrStoreUnavailable"];
        };
    };
    simulateDeposit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "userId": "user-1",
                 *       "fromChainId": 8453,
                 *       "fromTokenSymbol": "USDC",
                 *       "amountInAtomic": "25000000"
                 *     }
                 */
                "application/json": components["schemas"]["SimulationRequest"];
            };
        };
        responses: {
            /** @description The simulated deposit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "userId": "user-1",
                     *       "hasIntent": true,
                     *       "fromChainId": 8453,
                     *       "fromChainKey": "base",
                     *       "fromTokenSymbol": "USDC",
                     *       "amountInAtomic": "25000000",
                     *       "targetChainId": 42161,
                     *       "targetChainKey": "arbitrum",
                     *       "targetTokenSymbol": "USDC",
                     *       "targetAddress": "0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115",
                     *       "amountOutExpectedAtomic": "24831711",
                     *       "gasFeeRaw": "18432",
                     *       "gasFeeSkipReason": "NONE",
                     *       "amountForSwapAtomic": "24856568",
                     *       "provider": "lifi",
                     *       "policy": {
                     *         "slippageBps": 50,
                     *         "minOutputBps": 9700,
                     *         "maxDurationSeconds": 1800,
                     *         "maxHops": 3,
                     *         "requiresSponsoredGas": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Simulation"];
                };
            };
            /** @description `VALIDATION_FAILED`, `MALFORMED_BODY`, `TARGET_TOKEN_NOT_FOUND`, `TARGET_TOKEN_OF_OTHER_CHAIN`, `TARGET_TOKEN_BLACKLISTED`, `TARGET_ADDRESS_BLACKLISTED`, `TARGET_ADDRESS_NOT_PAYABLE`, `TARGET_ADDRESS_BLOCKED`, `TARGET_ADDRESS_REFUSES` */
            400: {
                headers: {
                    "x-error-code": components["headers"]["code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NoDepositIntent"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description `TOKEN_BLACKLISTED`, `FAILED_UNROUTABLE_MAIN`, `FAILED_INVALID_INPUT`, `FAILED_INSUFFICIENT_AFTER_FEES` */
            422: {
                headers: {
                    "x-error-code": components["headers"]["code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimulationRefused"];
                };
            };
            429: components["responses"]["RateLimitedOrQuotaExceeded"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ProviderUnavailableOrRoutingPausedOrStoreUnavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Maximum number of rows */
                limit?: number;
                /** @description `true` returns `{data, next}` as `application/vnd.switchyard.page+json` instead of an array; `next` begins the next page, and is null on the last */
                envelope?: components["parameters"]["envelope"];
                /** @description Start after this event */
                after?: components["parameters"]["after"];
                /** @description Only events of this execution */
                executionId?: components["parameters"]["ofExecutionId"];
                /** @description Types or families such as `deposit.*`, separated by commas; by default all except `execution.moved`. More types may be added: ignore unknown types */
                types?: components["parameters"]["types"];
                /** @description Your stable identifier of the user, compared byte for byte */
                userId?: components["parameters"]["ofUserId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    link: components["headers"]["link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"][];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            410: components["responses"]["EventsExpired"];
            429: components["responses"]["RateLimitedOrTooManyStreams"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Start after this event */
                after?: components["parameters"]["after"];
                /** @description Only events of this execution */
                executionId?: components["parameters"]["ofExecutionId"];
                /** @description Types or families such as `deposit.*`, separated by commas; by default all except `execution.moved`. More types may be added: ignore unknown types */
                types?: components["parameters"]["types"];
                /** @description Your stable identifier of the user, compared byte for byte */
                userId?: components["parameters"]["ofUserId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, for as long as the connection lasts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example retry: 3000
                     *
                     *     : data is shortened here
                     *     id: evt_01M7YSESC000013T6MWV102VRC
                     *     event: chain.paused
                     *     data: {"id":"evt_01M7YSESC000013T6MWV102VRC","seq":null,"timestamp":"2026-11-21T10:12:00.000Z","transition":null,"type":"chain.paused","data":{}}
                     */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimitedOrTooManyStreams"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoints. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["UnknownParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://example.com/hooks"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint and its secret. */
            201: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointCreated"];
                };
            };
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["KeyInUseOrLimitReached"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["webhookEndpointId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EndpointNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["webhookEndpointId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted. */
            204: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailedOrInvalidIdempotencyKey"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EndpointNotFound"];
            409: components["responses"]["KeyInUse"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["webhookEndpointId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["WebhookEndpointChangeRequest"];
            };
        };
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EndpointNotFound"];
            409: components["responses"]["KeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["webhookEndpointId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlapSeconds": 86400
                 *     }
                 */
                "application/json": components["schemas"]["WebhookRotationRequest"];
            };
        };
        responses: {
            /** @description The new secret. */
            200: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EndpointNotFound"];
            409: components["responses"]["KeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of rows */
                limit?: components["parameters"]["limit"];
                /** @description `true` returns `{data, next}` as `application/vnd.switchyard.page+json` instead of an array; `next` begins the next page, and is null on the last */
                envelope?: components["parameters"]["envelope"];
                /** @description Created at this time or later */
                createdFrom?: components["schemas"]["SentTime"];
                /** @description Created before this time */
                createdTo?: components["schemas"]["SentTime"];
                /** @description The end of the previous page, from its `link` or `next`; valid only with the same filters */
                cursor?: components["parameters"]["cursor"];
                /** @description Only the delivery of this event */
                eventId?: string;
                /** @description Whether the newest or the oldest rows come first */
                order?: components["parameters"]["order"];
                /** @description Only events that contain this text, such as a user, an execution or a hash; case counts */
                search?: string;
                /** @description Only deliveries with this status, or with one of several separated by commas */
                status?: string;
                /** @description Only events of these types, separated by commas; a family ends in `.*` */
                types?: string;
            };
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["webhookEndpointId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deliveries. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    link: components["headers"]["link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidList"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EndpointNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /** @description The id of the delivery */
                deliveryId: components["schemas"]["WebhookDeliveryId"];
                /** @description The id */
                id: components["parameters"]["webhookEndpointId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryDetail"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EndpointNotFoundOrNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    resendWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["webhookEndpointId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "eventId": "evt_01M7YRSJYY0008WRK1GT14EE0Q"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookResendRequest"];
            };
        };
        responses: {
            /** @description The events are posted again. */
            202: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResent"];
                };
            };
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EndpointNotFoundOrNotFound"];
            409: components["responses"]["KeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id */
                id: components["parameters"]["webhookEndpointId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "webhook.test"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookTestRequest"];
            };
        };
        responses: {
            /** @description The delivery, with the result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["ValidationFailedOrMalformedBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["EndpointNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLifecycle: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The machine. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lifecycle"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["UnknownParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description Only this key */
                apiKeyId?: string;
                /** @description First day; by default the first of the month of `to` */
                from?: components["schemas"]["CalendarDate"];
                /** @description For the platform’s operators: only this organization */
                organizationId?: components["parameters"]["ofOrganizationId"];
                /** @description Last day; by default today */
                to?: components["schemas"]["CalendarDate"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLedger: {
        parameters: {
            query?: {
                /** @description Maximum number of rows */
                limit?: components["parameters"]["limit"];
                /** @description `true` returns `{data, next}` as `application/vnd.switchyard.page+json` instead of an array; `next` begins the next page, and is null on the last */
                envelope?: components["parameters"]["envelope"];
                /** @description Detected at this time or later */
                createdFrom?: components["parameters"]["ofCreatedFrom"];
                /** @description Detected before this time */
                createdTo?: components["parameters"]["ofCreatedTo"];
                /** @description The end of the previous page, from its `link` or `next`; valid only with the same filters */
                cursor?: components["parameters"]["cursor"];
                /** @description Address where it arrived */
                depositAddress?: components["parameters"]["ofDepositAddress"];
                /** @description Source chain */
                fromChainId?: components["parameters"]["ofFromChainId"];
                /** @description The token */
                fromTokenAddress?: components["parameters"]["ofFromTokenAddress"];
                /** @description Whether the newest or the oldest rows come first */
                order?: components["parameters"]["order"];
                /** @description Your stable identifier of the user, compared byte for byte */
                userId?: components["parameters"]["ofUserId"];
            };
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deposits with their entries. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    link: components["headers"]["link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerLine"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidList"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getStatement: {
        parameters: {
            query?: {
                /** @description Only deposits of this key’s intents */
                apiKeyId?: string;
                /** @description Format of the response; by default the one that `accept` names */
                format?: "csv" | "json";
                /** @description The first day, in UTC */
                from?: components["schemas"]["CalendarDate"];
                /** @description The month, in UTC; by default the current one, unless `from` and `to` name days */
                month?: string;
                /** @description For the platform’s operators: another organization */
                organizationId?: string;
                /** @description The last day, in UTC */
                to?: components["schemas"]["CalendarDate"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statement. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example  */
                    "text/csv": string;
                    "application/json": components["schemas"]["Statement"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCoverage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The chains. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Coverage"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["UnknownParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["executionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The provider is back"
                 *     }
                 */
                "application/json": components["schemas"]["ReasonRequest"];
            };
        };
        responses: {
            /** @description The next attempt is under way. */
            202: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullExecution"];
                };
            };
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ExecutionNotFound"];
            409: components["responses"]["KeyInUseOrNotRetryable"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    approveExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["executionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The market agrees with it",
                 *       "amountOutMin": "24000000"
                 *     }
                 */
                "application/json": components["schemas"]["ApprovalRequest"];
            };
        };
        responses: {
            /** @description The approval is stored, and the execution is retried. */
            202: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approved"];
                };
            };
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ExecutionNotFound"];
            /** @description `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_KEY_IN_FLIGHT`, `NOTHING_TO_APPROVE`, `CHANGED_MEANWHILE` */
            409: {
                headers: {
                    "x-error-code": components["headers"]["code"];
                    "retry-after": components["headers"]["retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deadLetterExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["executionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The sender asked for it"
                 *     }
                 */
                "application/json": components["schemas"]["DeadLetterRequest"];
            };
        };
        responses: {
            /** @description The execution has ended. */
            202: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullExecution"];
                };
            };
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ExecutionNotFound"];
            /** @description `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_KEY_IN_FLIGHT`, `CHANGED_MEANWHILE`, `TRANSACTION_IN_FLIGHT`, `ALREADY_ENDED` */
            409: {
                headers: {
                    "x-error-code": components["headers"]["code"];
                    "retry-after": components["headers"]["retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    redriveExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["executionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The provider is back",
                 *       "intent": "CURRENT"
                 *     }
                 */
                "application/json": components["schemas"]["RedriveRequest"];
            };
        };
        responses: {
            202: components["responses"]["TheNewExecutionHasBegun"];
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ExecutionNotFoundOrNoDepositIntent"];
            /** @description `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_KEY_IN_FLIGHT`, `CHANGED_MEANWHILE`, `NOT_TERMINAL`, `NO_FUNDS_TO_REDRIVE`, `FUNDS_NOT_IN_ACCOUNT`, `TRANSACTION_IN_FLIGHT`, `REDRIVE_IN_PROGRESS`, `TOKEN_BLACKLISTED` */
            409: {
                headers: {
                    "x-error-code": components["headers"]["code"];
                    "retry-after": components["headers"]["retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ProviderUnavailableOrStoreUnavailable"];
        };
    };
    refundExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /** @description The id */
                id: components["parameters"]["executionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The target is gone for good"
                 *     }
                 */
                "application/json": components["schemas"]["RefundRequest"];
            };
        };
        responses: {
            202: components["responses"]["TheNewExecutionHasBegun"];
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["ExecutionNotFoundOrNoDepositIntent"];
            /** @description `IDEMPOTENCY_KEY_REUSED`, `IDEMPOTENCY_KEY_IN_FLIGHT`, `NO_REFUND_ADDRESS`, `CHANGED_MEANWHILE`, `NOT_TERMINAL`, `NO_FUNDS_TO_REDRIVE`, `FUNDS_NOT_IN_ACCOUNT`, `TRANSACTION_IN_FLIGHT`, `REDRIVE_IN_PROGRESS`, `TOKEN_BLACKLISTED` */
            409: {
                headers: {
                    "x-error-code": components["headers"]["code"];
                    "retry-after": components["headers"]["retry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ProviderUnavailableOrStoreUnavailable"];
        };
    };
    createJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "verb": "retry",
                 *       "filter": {
                 *         "causeCode": "PROVIDER_FAILED"
                 *       },
                 *       "reason": "The provider is back"
                 *     }
                 */
                "application/json": components["schemas"]["JobRequest"];
            };
        };
        responses: {
            /** @description The job has begun. */
            202: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobBegun"];
                };
            };
            /** @description `VALIDATION_FAILED`, `MALFORMED_BODY`, `INVALID_IDEMPOTENCY_KEY`, `UNKNOWN_PARAMETER` */
            400: {
                headers: {
                    "x-error-code": components["headers"]["code"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["KeyInUseOrLimitReached"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /** @description The id */
                id: components["schemas"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPauses: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pauses. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pause"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["UnknownParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    putPause: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /**
                 * @description What is paused: all, chain:<id>, provider:<name>, token:<chain id>:<address>, tenant:<organization id> or organization
                 * @example organization
                 */
                scope: components["parameters"]["scope"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The provider reports trouble",
                 *       "until": null
                 *     }
                 */
                "application/json": components["schemas"]["PauseRequest"];
            };
        };
        responses: {
            /** @description It is paused. */
            200: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pause"];
                };
            };
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["KeyInUseOrChangedMeanwhile"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deletePause: {
        parameters: {
            query: {
                /**
                 * @description The reason, visible to the integrator
                 * @example Integrator moved the target to USDC on arbitrum
                 */
                reason: components["parameters"]["ofReason"];
                /** @description The `version` that you saw. If it has changed, nothing is done: 409 CHANGED_MEANWHILE */
                version?: string;
            };
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /**
                 * @description What is paused: all, chain:<id>, provider:<name>, token:<chain id>:<address>, tenant:<organization id> or organization
                 * @example organization
                 */
                scope: components["parameters"]["scope"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is no longer paused. */
            204: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailedOrInvalidIdempotencyKeyOrUnknownParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["KeyInUseOrChangedMeanwhile"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createScan: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "chainId": 8453,
                 *       "fromBlock": 38294000,
                 *       "toBlock": 38294117,
                 *       "reason": "A user misses a deposit"
                 *     }
                 */
                "application/json": components["schemas"]["ScanRequest"];
            };
        };
        responses: {
            /** @description The scan has begun. */
            202: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScanBegun"];
                };
            };
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["KeyInUse"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScan: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path: {
                /** @description The id */
                id: components["schemas"]["ScanId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scan. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Scan"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["ValidationFailed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listBlacklist: {
        parameters: {
            query?: {
                /** @description Maximum number of rows */
                limit?: components["parameters"]["limit"];
                /** @description `true` returns `{data, next}` as `application/vnd.switchyard.page+json` instead of an array; `next` begins the next page, and is null on the last */
                envelope?: components["parameters"]["envelope"];
                /** @description Only entries for this address */
                address?: components["schemas"]["Address"];
                /** @description Only entries for this chain */
                chainId?: components["schemas"]["SupportedChainId"];
                /** @description The end of the previous page, from its `link` or `next`; valid only with the same filters */
                cursor?: components["parameters"]["cursor"];
                /** @description Only entries of this kind */
                kind?: "ADDRESS" | "TOKEN";
                /** @description Whether the newest or the oldest rows come first */
                order?: components["parameters"]["order"];
            };
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    link: components["headers"]["link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlacklistEntry"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidList"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    putBlacklistEntry: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "TOKEN",
                 *       "chainId": 8453,
                 *       "address": "0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9",
                 *       "listedAs": "SCAM",
                 *       "reason": "It imitates another token",
                 *       "expiresAt": null
                 *     }
                 */
                "application/json": components["schemas"]["BlacklistEntryRequest"];
            };
        };
        responses: {
            /** @description The entry was changed. */
            200: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlacklistEntry"];
                };
            };
            /** @description The entry was added. */
            201: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlacklistEntry"];
                };
            };
            400: components["responses"]["InvalidMutation"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["KeyInUseOrChangedMeanwhile"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteBlacklistEntry: {
        parameters: {
            query: {
                /**
                 * @description The reason, visible to the integrator
                 * @example Integrator moved the target to USDC on arbitrum
                 */
                reason: components["parameters"]["ofReason"];
                /** @description The `version` that you saw. If it has changed, nothing is done: 409 CHANGED_MEANWHILE */
                version?: string;
            };
            header?: {
                /** @description A repeated key with the same body returns the first response, for 24 hours */
                "idempotency-key"?: components["parameters"]["idempotencyKey"];
            };
            path: {
                /**
                 * @description The id
                 * @example token:8453:0x0ed9a9e619b284aed8f6e5ab0a596efd5c9f5cf9
                 */
                id: components["schemas"]["BlacklistEntryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entry is removed. */
            204: {
                headers: {
                    "idempotent-replayed": components["headers"]["idempotent-replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationFailedOrInvalidIdempotencyKeyOrUnknownParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["KeyInUseOrChangedMeanwhile"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    countStates: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The states that have executions. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateCount"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["UnknownParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listProviders: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The providers. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderHealth"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["UnknownParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Maximum number of rows */
                limit?: components["parameters"]["limit"];
                /** @description `true` returns `{data, next}` as `application/vnd.switchyard.page+json` instead of an array; `next` begins the next page, and is null on the last */
                envelope?: components["parameters"]["envelope"];
                /** @description Only actions of this actor */
                actor?: string;
                /** @description Written at this time or later */
                createdFrom?: components["schemas"]["SentTime"];
                /** @description Written before this time */
                createdTo?: components["schemas"]["SentTime"];
                /** @description The end of the previous page, from its `link` or `next`; valid only with the same filters */
                cursor?: components["parameters"]["cursor"];
                /** @description Whether the newest or the oldest rows come first */
                order?: components["parameters"]["order"];
                /** @description Only actions on this target */
                target?: string;
                /** @description Only actions with this verb */
                verb?: string;
            };
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    link: components["headers"]["link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["InvalidList"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportAudit: {
        parameters: {
            query?: {
                /** @description JSON lines, or a table */
                format?: "csv" | "jsonl";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example  */
                    "application/x-ndjson": string;
                    /** @example  */
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listOverdue: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of your cached response */
                "if-none-match"?: components["parameters"]["ifNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is overdue. */
            200: {
                headers: {
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overdue"][];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["UnknownParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    onDepositDetected: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["DepositEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDepositConfirmed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["DepositEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDepositWaitingForIntent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["DepositEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDepositQueued: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["DepositEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDepositPaused: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["DepositEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDepositOrphaned: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["DepositEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onDepositReturned: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["DepositEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionPending: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ExecutionEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionRunning: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ExecutionEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionSuccess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ExecutionEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionFailed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ExecutionEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ExecutionEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionTokenBlacklisted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ExecutionEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionFailedUnroutableMain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ExecutionEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionFailedInvalidInput: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ExecutionEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionFailedNoFunds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ExecutionEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionFailedInsufficientAfterFees: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ExecutionEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionQuotaExceeded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ExecutionEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionSuperseded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ExecutionEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onExecutionMoved: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["MoveEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onIntentCreated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["IntentEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onIntentUpdated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["IntentEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onIntentChangeHeld: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["IntentHeldEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onChainPaused: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ChainEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onChainResumed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ChainEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onQuotaWarning: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["QuotaEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onApiKeyExpiring: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ApiKeyEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onWebhookEndpointDisabled: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["WebhookEndpointEvent"];
        responses: {
            /** @description Accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
