import { readKernelFile } from './proc.ts'

/**
 * Percentage of the last 10 s in which some, and in which all, tasks waited for a resource; null when the kernel does
 * not measure pressure.
 */
function readPressure(resource: 'cpu' | 'memory' | 'io'): { some: number; full: number } | null {
  const text = readKernelFile(`/proc/pressure/${resource}`)
  if (text === null) return null
  const value = (kind: string) => Number(new RegExp(`^${kind} avg10=([0-9.]+)`, 'm').exec(text)?.[1] ?? 0)
  return { some: value('some'), full: value('full') }
}

export function pressureSentence(resource: 'cpu' | 'memory' | 'io'): string {
  const pressure = readPressure(resource)
  if (pressure === null) return 'Pressure is not measured by this kernel.'
  return `Pressure over 10 s: some tasks waited ${pressure.some} % of the time, all of them ${pressure.full} %.`
}
