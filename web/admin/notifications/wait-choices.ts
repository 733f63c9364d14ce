import { formatDuration } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'

const WAITS = [0, 120, 300, 900, 1800, 3600, 14_400, 43_200]

/** After how long somebody is told; what is stored is among them even if it was set by a program. `stored`: seconds. */
export function waitChoices(stored: number): { value: string; label: string }[] {
  return [...new Set([...WAITS, stored])]
    .toSorted((a, b) => a - b)
    .map((seconds) => ({
      value: String(seconds),
      label: seconds === 0 ? t('channels.at_once') : formatDuration(seconds * 1000),
    }))
}
