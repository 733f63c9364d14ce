/** The same items, once the first one is there: what goes wrong before it is thrown here, and not in the middle of an answer. */
export async function begun<T>(items: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  let first: IteratorResult<T> | null = await items.next()
  // No generator: returning one that was never asked would not end what is behind it.
  const iterator: AsyncIterator<T> = {
    next() {
      const result = first
      first = null
      return result === null ? items.next() : Promise.resolve(result)
    },
    return: () => items.return(undefined),
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
