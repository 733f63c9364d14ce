import { cut } from '../../kernel/text/plain-text.ts'

const LABEL_LIMIT = 200

/** Labels and keys of columns: an empty label gets a number, and keys are unique regardless of case. */
export function nameColumns(labels: readonly string[]): { key: string; label: string }[] {
  const taken = new Set<string>()
  return labels.map((given, index) => {
    const label = cut(given.replace(/[\s\0]+/gu, ' ').trim(), LABEL_LIMIT) || `Column ${index + 1}`
    let key = label === '__proto__' ? 'proto' : label
    for (let n = 2; taken.has(key.toLowerCase()); n++) key = `${label} (${n})`
    taken.add(key.toLowerCase())
    return { key, label }
  })
}
