/** The namespaces that are read here, identified by parts of their addresses. */
const KNOWN: readonly (readonly [string, string])[] = [
  [':xmlns:office:', 'office'],
  [':xmlns:table:', 'table'],
  [':xmlns:text:', 'text'],
  [':xmlns:style:', 'style'],
  [':xmlns:calcext:', 'calcext'],
]
const NAMES_KEPT = 2000

/** Names in their usual form (`table:table-cell`), whatever prefixes a document declares. */
export class Namespaces {
  readonly #usual = new Map<string, string>()
  readonly #names = new Map<string, string>()

  /** Reads the declarations of the first element. */
  declare(attributes: ReadonlyMap<string, string>): void {
    for (const [name, address] of attributes) {
      if (!name.startsWith('xmlns:')) continue
      const found = KNOWN.find(([part]) => address.includes(part))
      this.#usual.set(name.slice(6), found?.[1] ?? '?')
    }
  }

  name(given: string): string {
    const known = this.#names.get(given)
    if (known !== undefined) return known
    const colon = given.indexOf(':')
    const prefix = given.slice(0, Math.max(colon, 0))
    const name = `${this.#usual.get(prefix) ?? prefix}:${given.slice(colon + 1)}`
    if (this.#names.size < NAMES_KEPT) this.#names.set(given, name)
    return name
  }
}
