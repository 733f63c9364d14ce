const KEY = /^[a-z][a-z0-9_]*\.[a-z0-9_.]+$/
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g
const TEMPLATE = /`([a-z][a-z0-9_]*\.[^`\n]*)`/g

/** Those of `keys` that a source names: as a literal (`'chat.new'`), or by a template (`user.theme_${one}`), which names all that fit. */
export function usedKeys(source: string, keys: readonly string[]): Set<string> {
  const known = new Set(keys)
  const used = new Set<string>()
  for (const [, single, double] of source.matchAll(LITERAL)) {
    const text = single ?? double ?? ''
    if (KEY.test(text) && known.has(text)) used.add(text)
  }
  for (const [, template = ''] of source.matchAll(TEMPLATE)) {
    const parts = template.split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/)
    const pattern = new RegExp(
      `^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[a-z0-9_]+')}$`,
    )
    for (const key of keys) if (pattern.test(key)) used.add(key)
  }
  return used
}
