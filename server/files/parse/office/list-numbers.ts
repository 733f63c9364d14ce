import { listNumeral } from './list-numeral.ts'
import { scanXml } from './scan-xml.ts'

interface Level {
  readonly format: string
  readonly text: string
  readonly start: number
}

/** Characters around and between the numbers of an item. */
const TEXT_LIMIT = 100

/** Counts the lists of a Word document: gives the marker of each of their paragraphs, `2.1. ` or `- `. */
export class ListNumbers {
  readonly #levels = new Map<string, Map<number, Level>>()
  readonly #lists = new Map<string, string>()
  readonly #counts = new Map<string, number[]>()

  /** `bytes`: the part that describes numberings; null when there is none. */
  constructor(bytes: Uint8Array | null) {
    if (bytes === null) return
    let outline = ''
    let list = ''
    let at = 0
    let level: { format: string; text: string; start: number } = { format: '', text: '', start: 1 }
    scanXml(bytes, {
      open: (name, attribute) => {
        const value = attribute('val') ?? ''
        if (name === 'abstractNum') {
          outline = attribute('abstractNumId') ?? ''
          this.#levels.set(outline, new Map())
        } else if (name === 'num') list = attribute('numId') ?? ''
        else if (name === 'abstractNumId' && list !== '') this.#lists.set(list, value)
        else if (name === 'lvl') {
          at = Number(attribute('ilvl') ?? 0)
          level = { format: '', text: '', start: 1 }
        } else if (name === 'numFmt') level.format = value
        else if (name === 'lvlText') level.text = value.slice(0, TEXT_LIMIT)
        else if (name === 'start') level.start = Number(value) || 0
      },
      close: (name) => {
        if (name === 'lvl' && list === '') this.#levels.get(outline)?.set(at, level)
        else if (name === 'num') list = ''
      },
    })
  }

  /** The next paragraph of a list, with its depth from 0. */
  next(list: string, depth: number): string {
    const outline = this.#lists.get(list)
    const levels = outline === undefined ? undefined : this.#levels.get(outline)
    const level = levels?.get(depth)
    if (outline === undefined || level === undefined || level.format === 'bullet' || level.format === 'none')
      return '- '
    const counts = this.#counts.get(outline) ?? []
    this.#counts.set(outline, counts)
    counts[depth] = counts[depth] === undefined ? level.start : counts[depth] + 1
    // A deeper level starts over.
    counts.length = depth + 1
    const text = level.text.replace(/%([1-9])/g, (_all, digit: string) => {
      const other = Number(digit) - 1
      return listNumeral(counts[other] ?? levels?.get(other)?.start ?? 1, levels?.get(other)?.format ?? '')
    })
    return text === '' ? '- ' : `${text} `
  }
}
