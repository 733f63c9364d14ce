import { Link } from '@tanstack/react-router'
import { t } from '../text/i18n.ts'
import { Chip } from './rule-cell.tsx'
import { EFFECTS } from './tool-rules.ts'

/** What colour and grey mean, and which rule decides. */
export function RuleLegend() {
  return (
    <p className="text-muted flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-sm md:min-h-9">
      <span className="flex items-center gap-1.5 max-md:hidden">
        {EFFECTS.map((effect) => (
          <Chip key={effect} effect={effect} ruled tight />
        ))}
      </span>
      <span className="min-w-0">
        {t('rules.legend')}{' '}
        <Link
          to="/help"
          search={{ chapter: 'users' }}
          hash="roles"
          className="text-accent underline underline-offset-2"
        >
          {t('rules.legend_more')}
        </Link>
      </span>
    </p>
  )
}
