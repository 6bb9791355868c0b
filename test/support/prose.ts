/** A construction that is rare in English and common in translated English, and what to write instead. */
type Pattern = { pattern: RegExp; hint: string }

const patterns: readonly Pattern[] = [
  { pattern: /\b(?:some|no|any|every)body\b/gi, hint: 'name the actor: a caller, a worker, an operator' },
  { pattern: /\b(?:whoever|whatever|whichever|wherever)\b/gi, hint: 'name the actor, or write a condition with "if"' },
  {
    pattern: /\b(?:by|of|for|from|to|with|at|on|after|before|without|through) which\b/gi,
    hint: 'write a second sentence, or "whose", "used to", "for"',
  },
  {
    pattern: /\b(?:is|are|was|were|be|been|being) (?:told|said|asked|known|looked|meant|reckoned)\b/gi,
    hint: 'use the field’s verb: returned, logged, requested, stored, polled',
  },
  {
    pattern: /\b(?:tells?|telling|says?) (?:of|how|what|who|when|whether|so)\b/gi,
    hint: 'use the field’s verb: returns, reports, shows',
  },
  { pattern: /\b(?:so that|such (?:a|an|that)|at the (?:latest|earliest))\b/gi, hint: 'write "so", "to" or "within"' },
  {
    pattern:
      /\b(?:reckon\w*|hitherto|thereby|therein|thereof|whereby|besides|anew|of (?:its|their|his|our) own|of theirs|in so far as|all the same|meanwhile|for ever|any more|by then|likewise|lately)\b/gi,
    hint: 'use the plain word: estimate, again, its own, permanently, during that time',
  },
  {
    pattern: /(?:^|[.!?]\s+)(?:Of|By|From|Without|What|Who|Whose|Which)\s[^.?!]{10,}?,\s/g,
    hint: 'begin with the subject',
  },
  {
    pattern:
      /\b(?:one that|one which|one who|one whose|ones that|those of|those that|those who|those whose|that of|that which)\b/gi,
    hint: 'repeat the noun',
  },
  {
    pattern:
      /(?:^|[.:;,] |\band |\bbut |\bwhile )[Ww]hat (?:is|was|has|it|they|a|the|comes?|came|waits?|does|may|must|stands|takes)\b/g,
    hint: 'write a noun instead of a clause with "what"',
  },
  {
    pattern: /(?:^|[.:;,] )Where (?:there|it|they|none|a|the|that|this|one|no)\b/g,
    hint: 'write "if" for a condition',
  },
  {
    pattern: /\b(?:for (?:so|how) long|how soon|for this long|the other one|another one|no other)\b/gi,
    hint: 'write a noun: delay, interval, timeout, deadline',
  },
]

/** The most words of a sentence that is read once. */
export const wordsMax = 30

export type Sentence = { path: string; text: string; words: number; hints: string[] }

/** Returns the sentences of a file's prose: the comments of code, or the text of Markdown without code. */
export function sentencesOf({ path, text }: { path: string; text: string }): Sentence[] {
  return textsOf(path, text)
    .flatMap((each) => each.replace(/`[^`]*`/g, 'X').split(/\n\s*\n|\n(?=[-*#\d])/))
    .flatMap((paragraph) => paragraph.replace(/\s+/g, ' ').split(/(?<=[.!?:])\s+(?=[A-Z])/))
    .map((sentence) => ({
      path,
      text: sentence.trim(),
      words: sentence.match(/[A-Za-z’'-]+/g)?.length ?? 0,
      hints: patterns.flatMap(({ pattern, hint }) => (sentence.match(pattern) ?? []).map(() => hint)),
    }))
    .filter(({ words }) => words > 3)
}

function textsOf(path: string, text: string): string[] {
  if (path.endsWith('.md')) return [markdownOf(text)]
  const blocks = [...text.matchAll(/(?:^|\n)[ \t]*\/\*\*?([\s\S]*?)\*\//g)].map(([, inside]) =>
    inside!.replace(/^\s*\*\s?/gm, '').replace(/\n\s*@\w+/g, '\n\n$&'),
  )
  const lines = [...text.matchAll(/(?:^[ \t]*\/\/[/!]?[^\n]*\n?)+/gm)].map(([all]) =>
    all.replace(/^[ \t]*\/\/[/!]? ?/gm, ''),
  )
  const trailing = [...text.matchAll(/^[^\n'"`]*\S[ \t]+\/\/ ([^\n]+)$/gm)].map(([, after]) => after!)
  return [...blocks, ...lines, ...trailing]
}

const markdownOf = (text: string): string =>
  text
    .replace(/```[\s\S]*?```/g, '')
    .replace(/^ {4}.*$/gm, '')
    .replace(/^\|[-| :]+\|$/gm, '')
    .replace(/\|/g, '\n')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>/g, ' ')

export type Measure = { words: number; marksPerThousand: number; longShare: number }

export function measure(sentences: readonly Sentence[]): Measure {
  const sum = (of: (one: Sentence) => number) => sentences.reduce((all, one) => all + of(one), 0)
  const words = sum((one) => one.words)
  return {
    words,
    marksPerThousand: (sum(({ hints }) => hints.length) / words) * 1_000,
    longShare: sentences.filter((one) => one.words > wordsMax).length / sentences.length,
  }
}

/** Lists the sentences to rewrite, the worst first, each with what to write instead. */
export const toRewrite = (sentences: readonly Sentence[], most: number): string[] =>
  sentences
    .filter(({ words, hints }) => hints.length > 0 || words > wordsMax)
    .toSorted((a, b) => b.hints.length - a.hints.length || b.words - a.words)
    .slice(0, most)
    .map(({ path, text, words, hints }) => {
      const long = words > wordsMax ? [`${words} words: make it two sentences`] : []
      return `${path}: “${text.slice(0, 200)}” (${[...new Set(hints), ...long].join('; ')})`
    })
