import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'

/** One change of one file: the text from `start` to `end` becomes `to`. */
export type Mutant = {
  path: string
  /** Counted from 1, of the first changed character. */
  line: number
  start: number
  end: number
  from: string
  to: string
  /** Counted from 1, among the equal changes of this line. */
  nth: number
}

type Change = { node: Node; to: string }

const K = SyntaxKind
const swaps: Partial<Record<SyntaxKind, readonly string[]>> = {
  [K.PlusToken]: ['-'],
  [K.MinusToken]: ['+'],
  [K.AsteriskToken]: ['/'],
  [K.SlashToken]: ['*'],
  [K.PercentToken]: ['*'],
  [K.AsteriskAsteriskToken]: ['*'],
  [K.AmpersandToken]: ['|'],
  [K.BarToken]: ['&'],
  [K.LessThanLessThanToken]: ['>>'],
  [K.GreaterThanGreaterThanToken]: ['<<'],
  // The boundary, and the negation.
  [K.LessThanToken]: ['<=', '>='],
  [K.LessThanEqualsToken]: ['<', '>'],
  [K.GreaterThanToken]: ['>=', '<='],
  [K.GreaterThanEqualsToken]: ['>', '<'],
  [K.EqualsEqualsEqualsToken]: ['!=='],
  [K.ExclamationEqualsEqualsToken]: ['==='],
  [K.PlusEqualsToken]: ['-='],
  [K.MinusEqualsToken]: ['+='],
  [K.AmpersandAmpersandToken]: ['||'],
  [K.BarBarToken]: ['&&'],
}
/** Calls of a chain whose removal leaves a value of the same type. */
const passing = /^(filter|toSorted|sort|toReversed|reverse|slice|trim|toLowerCase|concat|flat|catch|finally)$/
const siblings: Record<string, string> = { some: 'every', every: 'some', min: 'max', max: 'min' }
/** Text for people: the message of an error or a refusal, the description of a schema or of a state. Its wording is no rule. */
const isForPeople = /^(doing|must|new \w*(Error|Failure|Refused|Unavailable)|.*\.(describe|mustBe|reject))$/s
const isDuration = /(ms|seconds|minutes|hours|days)(max|min)?$/i

/**
 * Every mutant of a file. Each differs from the file in one place.
 *
 * @param leftOut Names of declarations without mutants.
 */
export function mutantsOf(path: string, file: SourceFile, leftOut: readonly string[] = []): Mutant[] {
  const found = new Map<string, Mutant>()
  const text = file.text
  const textOf = (node: Node) => text.slice(node.getStart(file), node.end)
  const add = (node: Node, to: string, start = node.getStart(file), end = node.end) => {
    const line = text.slice(0, start).split('\n').length
    found.set(`${start} ${end} ${to}`, { path, line, start, end, from: text.slice(start, end), to, nth: 1 })
  }
  const visit = (node: Node, parents: readonly Node[]): void => {
    if (isOnlyTypes(node)) return
    if (is(node, K.VariableDeclaration) && leftOut.includes(textOf(part(node, 'name')!))) return
    for (const { node: changed, to } of changesOf(node, parents, textOf)) add(changed, to)
    if (is(node, K.ArrayLiteralExpression)) {
      const elements = listOf(node, 'elements')
      for (const [n, each] of elements.entries()) {
        const next = elements[n + 1]
        const before = elements[n - 1]
        if (next) add(each, '', each.getStart(file), next.getStart(file))
        else add(each, '', before ? before.end : each.getStart(file), each.end)
      }
    }
    node.forEachChild((each) => {
      // A sort only reads whether a result is negative, so only the first condition of a comparator matters to it.
      if (!isComparator(node, parents) || each === part(node, 'condition')) visit(each, [node, ...parents])
    })
  }
  visit(file, [])
  const all = [...found.values()].toSorted((one, other) => one.start - other.start || one.end - other.end)
  const counts = new Map<string, number>()
  for (const each of all) {
    const equal = JSON.stringify([each.line, each.from, each.to])
    each.nth = (counts.get(equal) ?? 0) + 1
    counts.set(equal, each.nth)
  }
  return all
}

function changesOf(node: Node, parents: readonly Node[], textOf: (node: Node) => string): Change[] {
  const parent = parents[0]
  const rest = (child: Node, to: string) => textOf(node).replace(textOf(child), () => to)
  switch (node.kind) {
    case K.BinaryExpression: {
      const [left, operator, right] = [part(node, 'left')!, part(node, 'operatorToken')!, part(node, 'right')!]
      const swapped = swaps[operator.kind] ?? []
      if (operator.kind === K.QuestionQuestionToken) return [left, right].map((each) => ({ node, to: textOf(each) }))
      const isEqualAtBoundary = parent && isBoundaryEqual(node, parent, textOf)
      return swapped.filter((_, n) => n > 0 || !isEqualAtBoundary).map((to) => ({ node: operator, to }))
    }
    case K.ConditionalExpression:
      return ['whenTrue', 'whenFalse'].map((name) => ({ node, to: `(${textOf(part(node, name)!)})` }))
    case K.IfStatement:
      return ['true', 'false'].map((to) => ({ node: part(node, 'expression')!, to }))
    case K.WhileStatement:
      return [{ node: part(node, 'expression')!, to: 'false' }]
    case K.PrefixUnaryExpression: {
      const operand = part(node, 'operand')!
      const sign = textOf(node)
      if (sign.startsWith('++')) return [{ node, to: `--${textOf(operand)}` }]
      if (sign.startsWith('--')) return [{ node, to: `++${textOf(operand)}` }]
      return sign.startsWith('!') || sign.startsWith('-') ? [{ node, to: textOf(operand) }] : []
    }
    case K.PostfixUnaryExpression: {
      const operand = textOf(part(node, 'operand')!)
      return [{ node, to: textOf(node).endsWith('++') ? `${operand}--` : `${operand}++` }]
    }
    case K.TrueKeyword:
    case K.FalseKeyword:
      return [{ node, to: node.kind === K.TrueKeyword ? 'false' : 'true' }]
    case K.NumericLiteral:
    case K.BigIntLiteral:
      return [{ node, to: otherNumber(textOf(node), parents, textOf) }]
    case K.StringLiteral:
    case K.NoSubstitutionTemplateLiteral:
    case K.TemplateExpression:
      if (isKey(node, parent) || parents.some((each) => isForPeople.test(callee(each, textOf)))) return []
      return [{ node, to: textOf(node).length > 2 ? "''" : "'mutated'" }]
    case K.RegularExpressionLiteral:
      return withoutAnchors(textOf(node)).map((to) => ({ node, to }))
    case K.AwaitExpression:
      return [{ node, to: textOf(part(node, 'expression')!) }]
    case K.ExpressionStatement:
      return removable(part(node, 'expression')!) ? [{ node, to: ';' }] : []
    case K.ReturnStatement: {
      const value = part(node, 'expression')
      return value && isNegatable(value) ? [{ node: value, to: `!(${textOf(value)})` }] : []
    }
    case K.ArrowFunction: {
      const body = part(node, 'body')!
      return isNegatable(body) ? [{ node: body, to: `!(${textOf(body)})` }] : []
    }
    case K.CallExpression: {
      const called = part(node, 'expression')!
      if (!is(called, K.PropertyAccessExpression)) return []
      const name = textOf(part(called, 'name')!)
      const target = part(called, 'expression')!
      if (passing.test(name)) return [{ node, to: textOf(target) }]
      const other = siblings[name]
      return other ? [{ node, to: rest(called, `${textOf(target)}.${other}`) }] : []
    }
    default:
      return []
  }
}

const is = (node: Node, kind: SyntaxKind) => node.kind === kind
const part = (node: Node, name: string) => (node as unknown as Record<string, Node | undefined>)[name]
const listOf = (node: Node, name: string): readonly Node[] =>
  (node as unknown as Record<string, readonly Node[] | undefined>)[name] ?? []

const isOnlyTypes = ({ kind }: Node) =>
  (kind >= K.FirstTypeNode && kind <= K.LastTypeNode) ||
  [K.InterfaceDeclaration, K.TypeAliasDeclaration, K.ImportDeclaration, K.ExportDeclaration].includes(kind)

/** Whether a text names a property, so another text would be another property. */
const isKey = (node: Node, parent: Node | undefined) =>
  parent !== undefined && is(parent, K.PropertyAssignment) && part(parent, 'name') === node

function callee(node: Node, textOf: (node: Node) => string): string {
  const called = part(node, 'expression')
  if (!called) return ''
  if (is(node, K.NewExpression)) return `new ${textOf(called)}`
  return is(node, K.CallExpression) ? textOf(called) : ''
}

/** A duration is doubled, because no rule depends on one millisecond more. Each other number gets one more. */
function otherNumber(text: string, parents: readonly Node[], textOf: (node: Node) => string): string {
  const isBig = text.endsWith('n')
  const digits = text.replaceAll('_', '').replace(/n$/, '')
  const named = parents.find((each) => part(each, 'name') && !is(each, K.PropertyAccessExpression))
  const isTime = named !== undefined && isDuration.test(textOf(part(named, 'name')!))
  if (isBig) return `${isTime ? BigInt(digits) * 2n : BigInt(digits) + 1n}n`
  const value = Number(digits)
  return String(isTime && value !== 0 ? value * 2 : value + 1)
}

function withoutAnchors(text: string): string[] {
  const end = text.lastIndexOf('/')
  const [source, flags] = [text.slice(1, end), text.slice(end + 1)]
  const start = source.startsWith('^') ? [`/${source.slice(1)}/${flags}`] : []
  return /[^\\]\$$/.test(source) ? [...start, `/${source.slice(0, -1)}/${flags}`] : start
}

/** Whether this is the whole result of a function that a sort calls. */
function isComparator(node: Node, parents: readonly Node[]): boolean {
  const [parent, call] = parents.filter((each) => !is(each, K.ParenthesizedExpression))
  if (!is(node, K.ConditionalExpression) || !parent || !is(parent, K.ArrowFunction) || !call) return false
  const called = is(call, K.CallExpression) ? part(call, 'expression')! : null
  const name = called && is(called, K.PropertyAccessExpression) ? part(called, 'name') : null
  return /^(toS|s)orted?$/.test((name as { text?: string } | null | undefined)?.text ?? '')
}

/** Whether both branches are equal if both operands are: `a < b ? a : b`, `a > b ? a - b : 0n`, and the like. */
function isBoundaryEqual(node: Node, parent: Node, textOf: (node: Node) => string): boolean {
  if (!is(parent, K.ConditionalExpression) || part(parent, 'condition') !== node) return false
  if (![K.LessThanToken, K.GreaterThanToken].includes(part(node, 'operatorToken')!.kind)) return false
  const [one, other] = [textOf(part(node, 'left')!), textOf(part(node, 'right')!)]
  const branches = [textOf(part(parent, 'whenTrue')!), textOf(part(parent, 'whenFalse')!)]
  const isOf = (...texts: string[]) => texts.every((each) => branches.includes(each))
  if (isOf(`[${one}, ${other}]`, `[${other}, ${one}]`)) return true
  if (isOf(`${one} - ${other}`, `${other} - ${one}`)) return true
  return isOf(one, other) || isOf(`${one} - ${other}`, '0n') || isOf(`${one} - ${other}`, '0')
}

const assignments = [K.EqualsToken, K.PlusEqualsToken, K.MinusEqualsToken, K.QuestionQuestionEqualsToken]
/** Whether a statement's only purpose is its effect. */
function removable(expression: Node): boolean {
  const inner = is(expression, K.AwaitExpression) ? part(expression, 'expression')! : expression
  if ([K.CallExpression, K.DeleteExpression].includes(inner.kind)) return true
  return is(inner, K.BinaryExpression) && assignments.includes(part(inner, 'operatorToken')!.kind)
}

/** A call or a name. The compiler refuses the negation unless its value may be a boolean. */
const isNegatable = ({ kind }: Node) =>
  [K.CallExpression, K.Identifier, K.PropertyAccessExpression, K.AwaitExpression].includes(kind)
