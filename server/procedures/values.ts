import { EVERY_HOST } from '../../contract/host-values.ts'
import type { Param } from '../../contract/procedure-values.ts'
import type { CallHost } from '../chat/ports/hosts.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import type { ConditionJudge } from './procedures-context.ts'

/** Characters of a value as JSON. */
const LONGEST = 64 * 1024

interface Known {
  readonly judge: ConditionJudge
  readonly hosts: readonly CallHost[]
}

/** Why a run cannot begin with these values: the first that is none of its parameter. Null when all conditions are true. */
export function valuesProblem(
  params: readonly Param[],
  values: Readonly<Record<string, unknown>>,
  known: Known,
): { readonly param: string; readonly why: Sentence } | null {
  const other = Object.keys(values).find((name) => !params.some((param) => param.name === name))
  if (other !== undefined) return { param: other, why: say`There is no parameter “${other}”.` }
  for (const { name, title, test } of params) {
    if (!Object.hasOwn(values, name)) return { param: name, why: say`“${title}” has no value.` }
    if (!fits(values[name], test, known)) return { param: name, why: say`“${title}” does not take this value.` }
  }
  return null
}

function fits(value: unknown, test: Param['test'], { judge, hosts }: Known): boolean {
  if ((JSON.stringify(value) ?? '').length > LONGEST) return false
  if ('hosts' in test)
    return typeof value === 'string' && machinesOf(test.hosts, hosts).some((one) => isName(one, value))
  if ('any' in test) return judge.isWord(value)
  if (!('each' in test)) return judge.fits(value, test)
  return (
    Array.isArray(value) && value.length > 0 && value.length <= 1000 && value.every((one) => judge.fits(one, test.each))
  )
}

/** The machines that a parameter takes, of those there are. */
export function machinesOf(named: readonly string[], hosts: readonly CallHost[]): CallHost[] {
  const names = named.map((name) => name.toLowerCase())
  return hosts.filter(
    ({ name, tags, disabled }) =>
      !disabled &&
      names.some(
        (one) => one === `#${EVERY_HOST}` || one === name.toLowerCase() || tags.some((tag) => one === `#${tag}`),
      ),
  )
}

function isName({ name }: CallHost, value: string): boolean {
  return name.toLowerCase() === value.toLowerCase()
}

/** A value that fits, as far as one can be told from the condition: to try the arguments of a step with. */
export function sampleOf({ test, preset }: Param, { judge, hosts }: Known): unknown {
  if (preset !== undefined && fits(preset, test, { judge, hosts })) return preset
  if ('hosts' in test) return machinesOf(test.hosts, hosts)[0]?.name ?? 'local'
  if ('any' in test) return 'a'
  return 'each' in test ? [sampleOfTest(test.each)] : sampleOfTest(test)
}

function sampleOfTest(
  test: Exclude<Param['test'], { hosts: unknown } | { any: unknown } | { each: unknown }>,
): unknown {
  if ('is' in test) return test.is
  if ('in' in test) return test.in[0]
  if ('under' in test) return test.under[0]
  if ('host' in test) return `https://${(test.host[0] ?? '').replace('*', 'www')}/`
  return test.min ?? test.max ?? 0
}
