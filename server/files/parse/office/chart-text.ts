import { scanXml } from './scan-xml.ts'

const CELLS = 2000

/** A chart of an office document as text: its titles, then a line per series with its values by category. */
export function chartText(bytes: Uint8Array): string {
  const titles: string[] = []
  const series: { name: string[]; categories: string[]; values: string[] }[] = []
  let into: string[] | null = null
  let taking = false
  let cells = 0
  scanXml(bytes, {
    open(name) {
      const now = series.at(-1)
      if (name === 'title') into = titles
      else if (name === 'ser') series.push({ name: [], categories: [], values: [] })
      else if (name === 'tx' && into !== titles) into = now?.name ?? null
      else if (name === 'cat' || name === 'xVal') into = now?.categories ?? null
      else if (name === 'val' || name === 'yVal') into = now?.values ?? null
      else if (name === 't' || name === 'v') {
        taking = into !== null
        if (taking) {
          into?.push('')
          cells++
        }
      }
    },
    text(text) {
      if (taking && into !== null) into[into.length - 1] += text
    },
    close(name) {
      if (name === 't' || name === 'v') taking = false
      else if (['title', 'cat', 'xVal', 'val', 'yVal'].includes(name) || (name === 'tx' && into !== titles)) into = null
    },
    done: () => cells > CELLS,
  })
  const lines = series.map(({ name, categories, values }) => {
    const points = values.map((value, i) => (categories[i] === undefined ? value : `${categories[i]} = ${value}`))
    return `${name.join(' ')}: ${points.join(', ')}`
  })
  return [`Chart: ${titles.join(' ')}`.trim(), ...lines].join('\n')
}
