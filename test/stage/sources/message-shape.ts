/** What a message of the catalogue asks for: its placeholders, and the forms of its plurals. */
export interface MessageShape {
  readonly placeholders: readonly string[]
  readonly plurals: readonly { readonly name: string; readonly forms: readonly string[] }[]
}

/** Reads `{name}` and `{count, plural, one {…} other {…}}`. Throws for braces that do not close, and for other kinds. */
export function messageShape(message: string): MessageShape {
  const placeholders = new Set<string>()
  const plurals: { name: string; forms: string[] }[] = []
  const read = (text: string): void => {
    for (let at = 0; at < text.length; at++) {
      if (text[at] === '}') throw new Error(`A brace too many in “${message}”.`)
      if (text[at] !== '{') continue
      const end = closing(text, at, message)
      const inside = text.slice(at + 1, end)
      at = end
      const [name = '', kind, ...rest] = inside.split(',')
      if (!/^\w+$/.test(name.trim())) throw new Error(`“{${inside}}” is no placeholder in “${message}”.`)
      placeholders.add(name.trim())
      if (kind === undefined) continue
      if (kind.trim() !== 'plural') throw new Error(`“${kind.trim()}” is not known in “${message}”.`)
      plurals.push({ name: name.trim(), forms: readForms(rest.join(','), message, read) })
    }
  }
  read(message)
  return { placeholders: [...placeholders].sort(), plurals }
}

function readForms(text: string, message: string, read: (form: string) => void): string[] {
  const forms: string[] = []
  let at = 0
  while (text.slice(at).trim() !== '') {
    const open = text.indexOf('{', at)
    if (open < 0) throw new Error(`A form without text in “${message}”.`)
    const end = closing(text, open, message)
    forms.push(text.slice(at, open).trim())
    read(text.slice(open + 1, end))
    at = end + 1
  }
  return forms
}

function closing(text: string, open: number, message: string): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++
    else if (text[at] === '}' && --depth === 0) return at
  }
  throw new Error(`A brace does not close in “${message}”.`)
}

interface Plurals {
  readonly possible: readonly string[]
  /** Those that a count up to a thousand has. */
  readonly needed: ReadonlySet<string>
}
const plurals = new Map<string, Plurals>()

function pluralsOf(language: string): Plurals {
  const known = plurals.get(language)
  if (known !== undefined) return known
  const rules = new Intl.PluralRules(language)
  const needed = new Set<string>(['other', ...Array.from({ length: 1001 }, (_, count) => rules.select(count))])
  const found = { possible: rules.resolvedOptions().pluralCategories, needed }
  plurals.set(language, found)
  return found
}

/** What is wrong with the plurals of a message in its language: forms that it does not have, and forms that are missing. */
export function pluralFaults(message: string, language: string): string[] {
  const { possible, needed } = pluralsOf(language)
  return messageShape(message).plurals.flatMap(({ forms }) => [
    ...forms
      .filter((form) => !/^=\d+$/.test(form) && !possible.includes(form))
      .map((form) => `“${form}” is no plural of ${language}`),
    ...[...needed].filter((form) => !forms.includes(form)).map((form) => `“${form}” is missing`),
    ...forms.filter((form, index) => forms.indexOf(form) !== index).map((form) => `“${form}” stands twice`),
  ])
}
