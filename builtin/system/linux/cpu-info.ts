/** ARM processors don't say their name; the part numbers of those that servers have. */
const ARM_PARTS: Readonly<Record<string, string>> = {
  '0xd03': 'Cortex-A53',
  '0xd05': 'Cortex-A55',
  '0xd07': 'Cortex-A57',
  '0xd08': 'Cortex-A72',
  '0xd09': 'Cortex-A73',
  '0xd0a': 'Cortex-A75',
  '0xd0b': 'Cortex-A76',
  '0xd0c': 'Neoverse-N1',
  '0xd40': 'Neoverse-V1',
  '0xd49': 'Neoverse-N2',
  '0xd4f': 'Neoverse-V2',
}

/** The name of the processor in /proc/cpuinfo; null when it does not say. */
export function parseModel(text: string | null): string | null {
  const value = (name: string) => new RegExp(`^${name}[ \\t]*:(.*)$`, 'm').exec(text ?? '')?.[1]?.trim() ?? ''
  const arm = ARM_PARTS[value('CPU part')] ?? ''
  const names = [value('model name'), arm, ...['Model', 'Hardware', 'cpu model', 'cpu'].map(value)]
  return names.find((name) => name !== '') ?? null
}

/** Current MHz by the number of the core, as far as /proc/cpuinfo says. */
export function parseFrequencies(text: string | null): Map<string, number> {
  const found = new Map<string, number>()
  for (const block of (text ?? '').split('\n\n')) {
    const core = /^processor\s*: (\d+)$/m.exec(block)?.[1]
    const megahertz = /^cpu MHz\s*: ([0-9.]{1,20})$/m.exec(block)?.[1]
    if (core !== undefined && megahertz !== undefined && Number(megahertz) >= 0)
      found.set(core, Math.round(Number(megahertz)))
  }
  return found
}

/** The three averages of /proc/loadavg; null where it does not have them. */
export function parseLoad(text: string | null): string | null {
  const load = (text ?? '').split(' ').slice(0, 3).map(Number)
  return load.length === 3 && load.every((value) => value >= 0 && value < 1e9)
    ? load.map((value) => value.toFixed(2)).join(', ')
    : null
}
