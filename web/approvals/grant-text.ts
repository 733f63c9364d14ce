import type { Loosened } from '../../contract/grants.ts'
import { formatDuration } from '../text/format.ts'
import { t } from '../text/i18n.ts'

/** In what later calls may differ from the one on the card. */
export function loosenedText(loosened: Loosened | null): string {
  if (loosened === null) return t('approval.like_same')
  switch (loosened.kind) {
    case 'folder':
      return t('approval.like_folder', { argument: loosened.argument, folder: loosened.folder })
    case 'host':
      return t('approval.like_host', { argument: loosened.argument, host: loosened.host })
    case 'range':
      return t('approval.like_range', {
        argument: loosened.argument,
        min: String(loosened.min),
        max: String(loosened.max),
      })
    case 'any':
      return t('approval.like_any', { arguments: loosened.arguments.join(', ') })
  }
}

/** `up to 20 times within 1 h` */
export function spanText(uses: number, minutes: number): string {
  return t('approval.span', { count: uses, time: formatDuration(minutes * 60_000) })
}
