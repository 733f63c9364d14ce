/** Random numbers that are the same in every run (mulberry32): 0 ≤ x < 1. */
export function openRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** How words of a language begin, what stands in the middle of a syllable, and how it ends. */
const SOUNDS = {
  english: ['th s c m pr st w b tr sh l r d f g h n p ', 'e a i o u ea ou io ai', 'n r t s l d ng ck st  '],
  german: ['sch g v b sp st k l m n w z tr h f d ü', 'e i a u ie ei ä ö', 'n r ng t ch st l rf sch  '],
  polish: ['prz cz sz w k p st d z r m l ł ż', 'a e i o y ą ę ó', 'n r ć ł ść w m j sz  '],
  russian: ['пр с к ст в м л н р т д з г б ж', 'а е и о у ы я ё', 'н р т л ть в м к й сть  '],
}
const CHINESE = Array.from({ length: 2500 }, (_, i) => String.fromCodePoint(0x4e00 + i * 7))

/** A writer of texts in a language of its own. */
type Writer = (characters: number) => string

/** Texts like those of conversations, in five languages: each word as frequent as words are (Zipf), with identifiers. */
export function openTexts(random: () => number): () => Writer {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const rank = (size: number): number => Math.floor(size ** random()) - 1
  const languages = Object.values(SOUNDS).map((sounds) => {
    const [starts, middles, ends] = sounds.map((each) => each.split(' '))
    const word = (): string =>
      Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(starts!) + pick(middles!) + pick(ends!)).join('')
    return Array.from({ length: 20_000 }, word)
  })
  const chinese: Writer = (characters) => {
    let text = ''
    while (text.length < characters) {
      for (let left = 5 + random() * 20; left > 0; left--) text += CHINESE[rank(CHINESE.length)]
      text += '，'
    }
    return text
  }
  return () => {
    const words = languages[Math.floor(random() * (languages.length + 1))]
    if (words === undefined) return chinese
    return (characters) => {
      let text = ''
      while (text.length < characters) {
        if (random() < 0.01) text += `${identifier(random)} `
        else text += `${words[rank(words.length)]}${random() < 0.1 ? '. ' : ' '}`
      }
      return text
    }
  }
}

function identifier(random: () => number): string {
  const digits = Math.floor(random() * 1e9).toString(36)
  return random() < 0.5 ? `disk_size_${digits}` : `/var/log/${digits}.log`
}
