const orders = new Map<string, (a: string, b: string) => number>()

/** With numbers in names by their value. */
function nameOrder(language: string): (a: string, b: string) => number {
  let order = orders.get(language)
  if (order === undefined) {
    order = new Intl.Collator(language, { numeric: true }).compare
    orders.set(language, order)
  }
  return order
}

/**
 * These in the order of their names for a reader of a language. For complete lists: the pages of a longer one follow a
 * stored key, which is the same for everyone.
 */
export function byName<T>(items: readonly T[], language: string, nameOf: (item: T) => string): T[] {
  const order = nameOrder(language)
  return items.toSorted((a, b) => order(nameOf(a), nameOf(b)))
}
