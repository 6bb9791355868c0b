import { configure } from 'arktype/config'

// Compiling every schema costs the start 0.25 s and 30 MiB, and buys nothing: those with morphs are walked anyway.
configure({ jitless: true })
