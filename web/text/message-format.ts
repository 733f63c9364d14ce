export type MessageValues = Readonly<Record<string, string | number>>

/**
 * Formats a message of the catalogue: `{name}` and `{count, plural, =0 {none} one {# item} other {# items}}`, the part
 * of ICU MessageFormat that Reeve uses. `#` is the number, formatted for the language. A missing value stays visible as
 * `{name}`, so that a wrong call is noticeable and rendering never throws.
 */
export function formatMessage(message: string, values: MessageValues, language: string): string {
  let out = ''
  let at = 0
  while (at < message.length) {
    const open = message.indexOf('{', at)
    if (open < 0) return out + message.slice(at)
    const close = closingBrace(message, open)
    out += message.slice(at, open) + fill(message.slice(open + 1, close), values, language)
    at = close + 1
  }
  return out
}

function fill(placeholder: string, values: MessageValues, language: string): string {
  const [name = '', kind, ...rest] = placeholder.split(',')
  const value = values[name.trim()]
  if (value === undefined) return `{${name.trim()}}`
  if (kind?.trim() !== 'plural') return typeof value === 'number' ? value.toLocaleString(language) : value
  const count = Number(value)
  const forms = pluralForms(rest.join(','))
  const form =
    forms.get(`=${count}`) ?? forms.get(new Intl.PluralRules(language).select(count)) ?? forms.get('other') ?? ''
  return formatMessage(form.replaceAll('#', count.toLocaleString(language)), values, language)
}

function pluralForms(text: string): Map<string, string> {
  const forms = new Map<string, string>()
  let at = 0
  for (;;) {
    const open = text.indexOf('{', at)
    if (open < 0) return forms
    const close = closingBrace(text, open)
    forms.set(text.slice(at, open).trim(), text.slice(open + 1, close))
    at = close + 1
  }
}

function closingBrace(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++
    else if (text[at] === '}' && --depth === 0) return at
  }
  return text.length
}
