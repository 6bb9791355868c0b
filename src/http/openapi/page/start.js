/** Whether the texts of an operation contain each word of a search. */
function isMatch(operation, phrase, ...names) {
  const texts = ['operationId', 'summary', 'description'].map((name) => operation.get(name))
  const text = [...names, ...texts].join(' ').toLowerCase()
  return phrase
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

const opsFilter = (tags, phrase) =>
  tags
    .map((tag, name) =>
      tag.update('operations', (all) =>
        all.filter((one) => isMatch(one.get('operation'), phrase, name, one.get('method'), one.get('path'))),
      ),
    )
    .filter((tag) => tag.get('operations').size > 0)

/** Returns the posted events that match the search, by their names. */
function matchingEvents(events, phrase) {
  if (!events || typeof phrase !== 'string') return events
  const found = Object.entries(events).filter(([name, [shown]]) =>
    isMatch(shown.operation.get('operation'), phrase, name, 'webhook'),
  )
  return Object.fromEntries(found)
}

/** Each search redraws eighty operations, so it begins when typing pauses. */
const searchDelayMs = 250

/** The viewer, with its own React. */
let system
const element = (...given) => system.React.createElement(...given)

let timer
function search({ target: { value } }) {
  clearTimeout(timer)
  timer = setTimeout(() => system.layoutActions.updateFilter(value.trim() || true), searchDelayMs)
}

/** The parts of the viewer that differ on this page. */
const parts = {
  fn: { opsFilter },
  statePlugins: {
    spec: {
      wrapSelectors: {
        selectWebhooksOperations:
          (original) =>
          (...given) =>
            matchingEvents(original(...given), system.layoutSelectors.currentFilter()),
      },
    },
  },
  components: {
    FilterContainer: () =>
      element(
        'search',
        { className: 'wrapper' },
        element(
          'label',
          null,
          'Search operations',
          element('input', { type: 'search', placeholder: 'deposit intent', onChange: search }),
        ),
      ),
    // A link inside the button that opens an operation is not accessible. The address names an open operation anyway.
    DeepLink: ({ text }) => element('span', null, text),
    // The document names one server, this one, so there is nothing to choose.
    ServersContainer: () => null,
  },
  wrapComponents: {
    // Only an element with the focus can be scrolled by keyboard.
    HighlightCode: (Original) => (props) =>
      element(
        'div',
        { className: 'scrolled', role: 'group', 'aria-label': 'Code', tabIndex: 0 },
        element(Original, props),
      ),
    ExamplesSelect: (Original) => (props) =>
      element('label', null, element('span', { className: 'unseen' }, 'Example'), element(Original, props)),
    TextArea: (Original) => (props) => element(Original, { 'aria-label': 'Request body', ...props }),
  },
}

function page(given) {
  system = given
  return parts
}

window.ui = SwaggerUIBundle({
  url: '/docs/json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  filter: true,
  plugins: [page],
  validatorUrl: null,
  persistAuthorization: false,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  syntaxHighlight: { theme: 'obsidian' },
  requestInterceptor: (request) =>
    /\/events\/stream/.test(request.url) ? Object.assign(request, { userFetch: beginningOf }) : request,
})

// This page shows a response only after it ends, and a stream never ends. So it shows the first seconds of a stream.
async function beginningOf(url, options) {
  const { body, status, statusText, headers } = await fetch(url, options)
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  setTimeout(() => reader.cancel(), 3000)
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
  return new Response(text, { status, statusText, headers })
}
