import type { ValueTest } from '../../../../contract/rule-conditions.ts'
import { anyFound, DIFFERS, FITS, type Found, type Operator, WRONG_TYPE } from './finding.ts'
import { findHost } from './host.ts'
import { findNumber, findRange } from './number.ts'
import { findUnder } from './path-under.ts'
import { findText } from './text.ts'

/** Whether a value is what a rule says it may be. */
export function findValue(value: unknown, test: ValueTest): Found {
  if ('is' in test) return findPlain(value, test.is)
  if ('in' in test) return anyFound(test.in.map((one) => findPlain(value, one)))
  if ('under' in test) return findUnder(value, test.under)
  if ('host' in test) return findHost(value, test.host)
  return findRange(value, test.min, test.max)
}

export function operatorOf(test: ValueTest): Operator {
  if ('is' in test) return 'is'
  if ('in' in test) return 'in'
  if ('under' in test) return 'under'
  return 'host' in test ? 'host' : 'range'
}

function findPlain(value: unknown, plain: string | number | boolean | null): Found {
  if (typeof plain === 'string') return typeof value === 'string' ? findText(value, plain) : WRONG_TYPE
  if (typeof plain === 'number') return findNumber(value, plain)
  if (plain === null) return value === null ? FITS : WRONG_TYPE
  if (typeof value !== 'boolean') return WRONG_TYPE
  return value === plain ? FITS : DIFFERS
}
