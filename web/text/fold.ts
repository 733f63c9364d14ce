/**
 * A text folded for comparison, without case and accents. `at[i]` is the original index of unit `i`; one more at the
 * end.
 */
export interface Folded {
  readonly text: string
  readonly at: readonly number[]
}

export function fold(original: string): Folded {
  let text = ''
  const at: number[] = []
  let place = 0
  for (const character of original) {
    const plain = character.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    for (let unit = 0; unit < plain.length; unit++) at.push(place)
    text += plain
    place += character.length
  }
  at.push(original.length)
  return { text, at }
}

/** A text for comparison alone: without case and accents, compatibility characters replaced (`ﬁ` → `fi`). */
export function foldText(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
