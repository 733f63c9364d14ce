/** A template of addresses: what is to be filled in, and the address with these values. */
export interface AddressTemplate {
  readonly names: readonly string[]
  expand(values: Readonly<Record<string, string>>): string
}

interface Expression {
  readonly kind: Kind
  readonly variables: readonly { readonly name: string; readonly first: number }[]
}

interface Kind {
  readonly before: string
  readonly between: string
  /** Each value has its name before it, and what stands between them where it is empty. */
  readonly named?: string
  /** Marks that mean something in an address stay as they are. */
  readonly reserved?: true
}

const PLAIN: Kind = { before: '', between: ',' }
const KINDS = new Map<string, Kind>([
  ['+', { before: '', between: ',', reserved: true }],
  ['#', { before: '#', between: ',', reserved: true }],
  ['.', { before: '.', between: '.' }],
  ['/', { before: '/', between: '/' }],
  [';', { before: ';', between: ';', named: '' }],
  ['?', { before: '?', between: '&', named: '=' }],
  ['&', { before: '&', between: '&', named: '=' }],
])
/** The RFC has no other marks in names; servers do. */
const VARIABLE = /^([^\s{}%*:"'<>=!@|]{1,200})(?:\*|:([1-9]\d{0,3}))?$/

/**
 * Templates of RFC 6570 whose values are texts: the same on the page that shows the address and on the server that judges
 * it. Null for a text that is none or has nothing to fill in.
 */
export function addressTemplate(text: string): AddressTemplate | null {
  const parts: (string | Expression)[] = []
  for (let rest = text; rest !== '';) {
    const start = rest.indexOf('{')
    const plain = start < 0 ? rest : rest.slice(0, start)
    if (plain.includes('}')) return null
    if (plain !== '') parts.push(reserved(plain))
    if (start < 0) break
    const end = rest.indexOf('}', start)
    const expression = end < 0 ? null : expressionIn(rest.slice(start + 1, end))
    if (expression === null) return null
    parts.push(expression)
    rest = rest.slice(end + 1)
  }
  const names = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables.map(({ name }) => name)))
  if (names.length === 0) return null
  return {
    names: [...new Set(names)],
    expand: (values) => parts.map((part) => (typeof part === 'string' ? part : filled(part, values))).join(''),
  }
}

function expressionIn(text: string): Expression | null {
  const kind = KINDS.get(text.charAt(0))
  const variables = (kind === undefined ? text : text.slice(1)).split(',').map((one) => VARIABLE.exec(one.trim()))
  if (!variables.every((one) => one !== null)) return null
  return {
    kind: kind ?? PLAIN,
    variables: variables.map(([, name, first]) => ({ name: name!, first: first === undefined ? Infinity : +first })),
  }
}

function filled({ kind, variables }: Expression, values: Readonly<Record<string, string>>): string {
  const written = variables.flatMap(({ name, first }) => {
    if (!Object.hasOwn(values, name)) return []
    const value = first === Infinity ? values[name]! : [...values[name]!].slice(0, first).join('')
    const encoded = kind.reserved === true ? reserved(value) : unreserved(value)
    if (kind.named === undefined) return [encoded]
    return [`${name}${encoded === '' ? kind.named : `=${encoded}`}`]
  })
  return written.length === 0 ? '' : `${kind.before}${written.join(kind.between)}`
}

function unreserved(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** What is encoded already stays so. */
function reserved(text: string): string {
  return text
    .split(/(%[0-9a-f]{2})/i)
    .map((part, at) => (at % 2 === 1 ? part : encodeURI(wellFormed(part)).replace(/%5B/g, '[').replace(/%5D/g, ']')))
    .join('')
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
