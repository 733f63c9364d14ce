import type { Param, ParamTest } from '../../contract/procedure-values.ts'

/** How a parameter is written in the form. `other` are conditions that the form does not know: it leaves them alone. */
export const PARAM_KINDS = ['machine', 'choice', 'number', 'word', 'folder', 'address', 'other'] as const
export type ParamKind = (typeof PARAM_KINDS)[number]

export interface ParamFields {
  /** Stays the same while it is edited. */
  readonly key: number
  readonly name: string
  /** The name that steps refer to it by: the last one that was free to be used. */
  readonly referred: string
  readonly title: string
  readonly kind: ParamKind
  /** One on each line; of numbers the smallest and the largest. */
  readonly list: string
  readonly min: string
  readonly max: string
  readonly preset: string
  /** As it came. */
  readonly test: ParamTest
}

let made = 0

export function newParam(): ParamFields {
  return toFields({ name: '', title: '', test: { hosts: ['#all'] } })
}

export function toFields({ name, title, test, preset }: Param): ParamFields {
  made += 1
  const fields = { key: made, name, referred: name, title, test, list: '', min: '', max: '', preset: written(preset) }
  if ('hosts' in test) return { ...fields, kind: 'machine', list: test.hosts.join('\n') }
  if ('any' in test) return { ...fields, kind: 'word' }
  if ('in' in test) return { ...fields, kind: 'choice', list: test.in.map(written).join('\n') }
  if ('under' in test) return { ...fields, kind: 'folder', list: test.under.join('\n') }
  if ('host' in test) return { ...fields, kind: 'address', list: test.host.join('\n') }
  if ('each' in test || 'is' in test) return { ...fields, kind: 'other' }
  return { ...fields, kind: 'number', min: written(test.min), max: written(test.max) }
}

/** The name by which steps must no longer refer to a parameter; null: its name is unchanged, or not one yet. */
export function renamedFrom({ name, referred }: ParamFields, others: readonly ParamFields[]): string | null {
  const taken = others.some((other) => other.name === name || (referred !== '' && other.name === referred))
  return name === referred || taken || !/^[a-z][a-z0-9_]{0,31}$/.test(name) ? null : referred
}

export function toParam({ name, title, preset, ...fields }: ParamFields): Param {
  const test = toTest(fields)
  return { name, title, test, ...(preset.trim() === '' ? {} : { preset: read(preset.trim()) }) }
}

function toTest({
  kind,
  list,
  min,
  max,
  test,
}: Pick<ParamFields, 'kind' | 'list' | 'min' | 'max' | 'test'>): ParamTest {
  const lines = list
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (kind === 'machine') return { hosts: lines }
  if (kind === 'choice') return { in: lines.map((line) => read(line) as string) }
  if (kind === 'folder') return { under: lines }
  if (kind === 'address') return { host: lines }
  if (kind === 'word') return { any: true }
  if (kind === 'other') return test
  return {
    ...(min.trim() === '' ? {} : { min: Number(min) }),
    ...(max.trim() === '' ? {} : { max: Number(max) }),
  }
}

/** Texts stand as they are, everything else as JSON: so does a text that would read as something else. */
export function written(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return JSON.stringify(value)
  return value.trim() === value && read(value) === value ? value : JSON.stringify(value)
}

export function read(text: string): unknown {
  if (!/^(?:true|false|null|-?\d+(?:\.\d+)?|".*"|\[.*\])$/.test(text)) return text
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return text
  }
}
