const NAMES = ['kern.boottime', 'vm.loadavg', 'hw.memsize', 'hw.physmem']
/** What macOS and the BSDs say about themselves, without what one of them does not know. */
export const SYSCTL = ['env', 'LC_ALL=C', 'sysctl', '-i', ...NAMES] as const

/** Null for each value that is missing. */
export interface SystemState {
  /** Epoch milliseconds, by the machine's clock. */
  readonly boot: number | null
  /** Averages over 1, 5 and 15 minutes. */
  readonly load: string | null
  /** Bytes. */
  readonly memory: number | null
}

/** Reads lines such as `kern.boottime: { sec = 1700000000, usec = 0 } …` and `vm.loadavg: { 1.23 1.10 0.99 }`. */
export function parseSysctl(text: string): SystemState {
  const value = (name: string) => new RegExp(`^${name.replace('.', '\\.')}\\s?[:=](.*)$`, 'm').exec(text)?.[1] ?? ''
  const boot = /\bsec = (\d{1,12})\b/.exec(value('kern.boottime'))?.[1]
  const load = /^[ {]*(\d{1,9}[.,]\d{1,9}) (\d{1,9}[.,]\d{1,9}) (\d{1,9}[.,]\d{1,9})/.exec(value('vm.loadavg'))
  const memory = /^\s*(\d{1,15})\s*$/.exec(value('hw.memsize') || value('hw.physmem'))?.[1]
  return {
    boot: boot === undefined ? null : Number(boot) * 1000,
    load:
      load === null
        ? null
        : load
            .slice(1, 4)
            .map((value) => value.replace(',', '.'))
            .join(', '),
    memory: memory === undefined ? null : Number(memory),
  }
}
