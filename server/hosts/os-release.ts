/** What os-release says, by key and without quotes: at most 64 keys, whose values are cut at 400 characters. */
export function parseOsRelease(text: string): Record<string, string> {
  const lines = text.split('\n').flatMap((line) => {
    const match = /^([A-Z][A-Z0-9_]{0,63})=(.*)$/.exec(line.slice(0, 1000).trimEnd())
    return match === null ? [] : [[match[1] ?? '', unquote(match[2] ?? '').slice(0, 400)] as const]
  })
  return Object.fromEntries(lines.slice(0, 64))
}

/** As a shell would read an assignment of one word, which is all the format allows. */
function unquote(text: string): string {
  if (text.length >= 2 && text.startsWith("'") && text.endsWith("'")) return text.slice(1, -1)
  const inner = text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text
  return inner.replace(/\\([\\"$`])/g, '$1')
}
