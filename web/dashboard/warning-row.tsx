import { Link, type LinkProps } from '@tanstack/react-router'
import type { DashboardWarning } from '../../contract/dashboard.ts'
import { classNames } from '../parts/class-names.ts'
import { formatDate, formatDateTime, formatNumber } from '../text/format.ts'
import { t, tIfKnown } from '../text/i18n.ts'
import { TONES } from '../parts/feedback/tone.ts'

type Code = DashboardWarning['code']

/** Where each warning can be fixed or read about. */
const FIX: Record<Code, LinkProps> = {
  no_engine: { to: '/admin/$page', params: { page: 'ai' } },
  no_tls: { to: '/help', search: { chapter: 'operation' }, hash: 'tls' },
  certificate_ends: { to: '/help', search: { chapter: 'operation' }, hash: 'tls' },
  disk_nearly_full: { to: '/files' },
  module_failed: { to: '/modules' },
  module_review: { to: '/modules' },
  no_backup: { to: '/help', search: { chapter: 'operation' }, hash: 'backup' },
  backup_failed: { to: '/help', search: { chapter: 'operation' }, hash: 'backup' },
  secrets_forgotten: { to: '/admin/$page', params: { page: 'ai' } },
  disk_full: { to: '/files' },
  runs_as_root: { to: '/help', search: { chapter: 'operation' }, hash: 'own-account' },
  files_not_isolated: { to: '/help', search: { chapter: 'operation' }, hash: 'isolation' },
  switched_off: { to: '/admin/$page', params: { page: 'runs' } },
  audit_head_failed: { to: '/admin/$page', params: { page: 'audit' } },
  channel_failed: { to: '/admin/$page', params: { page: 'notifications' } },
  watch_crossed: { to: '/watches' },
}

/** A current or upcoming problem with a link to its fix. */
export function WarningRow({ warning }: { warning: DashboardWarning }) {
  const { code, level, value, detail } = warning
  const look = TONES[level]
  const Icon = look.icon
  return (
    <li className="flex items-start gap-2.5 px-3 py-2">
      <Icon aria-hidden className={classNames('mt-0.5 size-4 shrink-0', look.text)} />
      <div className="min-w-0 flex-1 sm:flex sm:items-start sm:gap-4">
        <div className="min-w-0 flex-1">
          <p className="font-medium break-words">
            {code === 'watch_crossed' ? crossedTitle(warning) : titleOf(code, value)}
          </p>
          <p className="text-muted text-sm break-words">{textOf(warning)}</p>
          {detail !== undefined && (
            <p dir="auto" className="text-muted mt-0.5 font-mono text-xs break-words">
              {detail}
            </p>
          )}
        </div>
        <Link
          {...FIX[code]}
          className="text-accent block w-fit shrink-0 text-sm font-medium underline-offset-2 hover:underline max-sm:mt-1.5"
        >
          {t(`warning.${code}_fix`)}
        </Link>
      </div>
    </li>
  )
}

/** Which of them, and where. */
function crossedTitle({ preset, value, machines = [] }: DashboardWarning): string {
  const name = preset == null ? String(value) : t(`watches.preset_${preset}`)
  return machines.length === 0 ? name : t('warning.watch_crossed_on', { name, machines: machines.join(', ') })
}

function textOf({ code, cause }: DashboardWarning): string {
  if (code === 'backup_failed' && cause !== undefined && cause !== 'other') return t(`warning.backup_failed_${cause}`)
  return t(`warning.${code}_text`)
}

function titleOf(code: Code, value: string | number | null): string {
  switch (code) {
    case 'certificate_ends':
      return t('warning.certificate_ends', { time: formatDate(String(value)) })
    case 'no_backup':
      return value === null ? t('warning.no_backup_ever') : t('warning.no_backup', { time: formatDate(String(value)) })
    case 'backup_failed':
      return t('warning.backup_failed', { time: formatDateTime(String(value)) })
    case 'secrets_forgotten':
      return t('warning.secrets_forgotten', { time: formatDate(String(value)) })
    case 'disk_nearly_full':
      return t('warning.disk_nearly_full', { percent: formatNumber(Number(value) / 100, { style: 'percent' }) })
    case 'switched_off':
      return t('warning.switched_off', { count: Number(value) })
    case 'module_failed':
      return t('warning.module_failed', { name: String(value) })
    case 'module_review':
      return t('warning.module_review', { name: String(value) })
    case 'audit_head_failed':
      return t('warning.audit_head_failed', { place: tIfKnown(`audit.place_${value}`) ?? String(value) })
    case 'channel_failed':
      return t('warning.channel_failed', { name: String(value) })
    default:
      return t(`warning.${code}`)
  }
}
