import { Link } from '@tanstack/react-router'
import { t } from '../text/i18n.ts'

/** What colour and grey mean, and which rule decides; a phone has room for the way to the guide alone. */
export function RuleLegend() {
  return (
    <p className="text-muted min-w-0 text-sm max-md:-mt-1 max-md:basis-full md:flex-1 md:basis-80 md:py-2">
      <span className="max-md:hidden">{t('rules.legend')} </span>
      <Link
        to="/help"
        search={{ chapter: 'users' }}
        hash="rules"
        className="text-accent whitespace-nowrap underline underline-offset-2"
      >
        {t('rules.legend_more')}
      </Link>
    </p>
  )
}
