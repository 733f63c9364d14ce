type Resource = 'cpu' | 'memory' | 'io'

export const pressureFile = (resource: Resource) => `/proc/pressure/${resource}`

/** How much of the last 10 s some, and all, tasks waited for a resource. Kernels before 4.20 don't measure it. */
export function pressureSentence(text: string | null): string {
  if (text === null) return 'Pressure is not measured by this kernel.'
  const value = (kind: string) => Number(new RegExp(`^${kind} avg10=([0-9.]{1,20})`, 'm').exec(text)?.[1] ?? 0) || 0
  return `Pressure over 10 s: some tasks waited ${value('some')} % of the time, all of them ${value('full')} %.`
}
