/**
 * How much of `most` each of these gets that want so much: all get the same, and what one does not need goes to those that
 * want more. Whole numbers; together at most `most`.
 */
export function fairShares(wants: readonly number[], most: number): number[] {
  const shares = wants.map(() => 0)
  let left = most
  const order = wants.map((_, i) => i).toSorted((a, b) => wants[a]! - wants[b]!)
  for (const [at, i] of order.entries()) {
    shares[i] = Math.min(wants[i]!, Math.floor(left / (order.length - at)))
    left -= shares[i]
  }
  return shares
}
