import { Notice } from '../../parts/feedback/notice.tsx'
import { t } from '../../text/i18n.ts'
import { isLocal } from '../find-hosts.ts'
import type { HostSectionProps } from './host-section.ts'

/** Before somebody prepares an operation that could not run: the helper is missing or refuses, and what puts it right. */
export function HelperNotice({ host }: HostSectionProps) {
  const { helper } = host
  if (helper?.state !== 'missing' && helper?.state !== 'refused') return null
  return (
    <Notice tone="info" title={t(`hosts.helper_${helper.state}`)} className="mb-4">
      <p>{t(`hosts.helper_why_${helper.state}`)}</p>
      <p>{t(isLocal(host) ? 'hosts.helper_fix_local' : 'hosts.helper_fix_remote')}</p>
    </Notice>
  )
}
