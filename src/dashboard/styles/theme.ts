import { createTheme } from '@mantine/core'

const indigo = [
  '#eef0ff',
  '#dfe1ff',
  '#bfc3fe',
  '#9da2fa',
  '#8084f6',
  '#6a6cf0',
  '#5a59e8',
  '#4a45d6',
  '#4338ca',
  '#352f9f',
] as const

/** Mantine's colours with darker ends: its eighth has too little contrast with the page. */
const red = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#fa5252',
  '#f03e3e',
  '#c92a2a',
  '#a82222',
] as const

export const theme = createTheme({
  colors: { indigo, red },
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 7 },
  defaultRadius: 8,
  fontFamily: "'Inter Switchyard', Inter, ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  fontSizes: { sm: '14px', md: '15px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Nearly every field is required, so none is marked.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    // Tab passes a select without opening it, and Enter takes the first option that fits what was typed.
    // A choice stays when it is chosen again. Only a select that can be empty has a button that empties it.
    Select: { defaultProps: { openOnFocus: false, selectFirstOptionOnChange: true, allowDeselect: false } },
    MultiSelect: { defaultProps: { openOnFocus: false, selectFirstOptionOnChange: true } },
    // Decoration, which a screen reader would read as an image without a name.
    ComboboxChevron: { defaultProps: { 'aria-hidden': true } },
    // The menu stays inside the page's landmark and contains only its items.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: '#main' } } },
  },
})
