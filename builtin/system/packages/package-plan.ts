/** What the package manager would do with one package. */
export interface PlannedPackage {
  readonly act: 'install' | 'remove' | 'purge'
  readonly name: string
  /** Empty where it is not installed now, or the system does not say. */
  readonly now: string
  /** Empty where it is removed. */
  readonly later: string
  readonly origin: string
}

/** The lines of a plan, among whatever else there is; their hash is what an approval holds for. */
export function planLines(text: string): string[] {
  return text.split('\n').filter((line) => /^(?:Inst|Remv|Purg) /.test(line))
}

const ACTS = { Inst: 'install', Remv: 'remove', Purg: 'purge' } as const

/** The lines of a plan, read: those of apt say both versions, others say what they say. */
export function readPlan(manager: 'apt' | 'dnf' | 'dnf5' | 'apk', lines: readonly string[]): PlannedPackage[] {
  return lines.flatMap((line) => {
    const [verb = '', name = '', ...words] = line.slice(0, 4000).split(' ')
    const act = ACTS[verb as keyof typeof ACTS]
    if (act === undefined || name === '') return []
    if (manager === 'apt') {
      const rest = words.join(' ')
      const now = /^\[([^\]]{1,300})\]/.exec(rest)?.[1] ?? ''
      const [later = '', ...origin] = (/\(([^)]{1,1000})\)/.exec(rest)?.[1] ?? '').split(' ')
      return [
        { act, name, now, later: act === 'install' ? later : '', origin: act === 'install' ? origin.join(' ') : '' },
      ]
    }
    if (manager === 'apk') {
      // "busybox (1.36.1-r4 -> 1.36.1-r5)", or "(1.2-r0)".
      const [first = '', arrow = '', second = ''] = words.map((word) => word.replace(/^\(|\)$/g, ''))
      if (act !== 'install') return [{ act, name, now: first, later: '', origin: '' }]
      return [{ act, name, now: arrow === '->' ? first : '', later: arrow === '->' ? second : first, origin: '' }]
    }
    const version = words[1] ?? ''
    return [{ act, name, now: act === 'install' ? '' : version, later: act === 'install' ? version : '', origin: '' }]
  })
}
