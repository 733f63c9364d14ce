import type { ParamTest } from '../../contract/procedure-values.ts'
import { t } from '../text/i18n.ts'

/** What a value must be, in words. */
export function testWords(test: ParamTest): string {
  if ('hosts' in test)
    return test.hosts.includes('#all')
      ? t('procedures.takes_any_machine')
      : t('procedures.takes_machine', { list: test.hosts.join(', ') })
  if ('any' in test) return t('procedures.takes_any')
  if ('each' in test) return t('procedures.takes_each', { what: testWords(test.each) })
  if ('is' in test) return t('procedures.takes_one', { list: JSON.stringify(test.is) })
  if ('in' in test) return t('procedures.takes_one', { list: test.in.map(shown).join(', ') })
  if ('under' in test) return t('procedures.takes_under', { list: test.under.join(', ') })
  if ('host' in test) return t('procedures.takes_host', { list: test.host.join(', ') })
  return t('procedures.takes_range', { min: shown(test.min ?? '−∞'), max: shown(test.max ?? '∞') })
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
