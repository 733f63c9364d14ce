/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** From 0 to 1, 1 not included. */
  next(): number
  /** Whole, both included. */
  between(least: number, most: number): number
  pick<T>(list: readonly T[]): T
  /** A key, as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K
  /** A sequence of its own, which does not depend on what was taken from this one. */
  child(name: string): Random
}

export function seeded(seed: string): Random {
  let state = hash(seed)
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (list) => list[Math.floor(next() * list.length)]!,
    weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
      const all = Object.entries(weights) as [K, number][]
      let left = next() * all.reduce((sum, [, weight]) => sum + weight, 0)
      return (all.find(([, weight]) => (left -= weight) < 0) ?? all[0]!)[0]
    },
    child: (name) => seeded(`${seed}/${name}`),
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193)
  return value
}
