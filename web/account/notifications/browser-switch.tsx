import { useState } from 'react'
import { isNoticeWanted, wishNotice } from '../../approvals/browser-notice-wish.ts'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { t } from '../../text/i18n.ts'

/** Whether this browser tells of cards while a page of Reeve is open in it but not seen. */
export function BrowserSwitch() {
  const [on, setOn] = useState(isNoticeWanted)
  const [refused, setRefused] = useState(false)
  const possible = 'Notification' in window && window.isSecureContext
  const change = async (wanted: boolean): Promise<void> => {
    const may = await wishNotice(wanted)
    setOn(may)
    setRefused(wanted && !may)
  }
  return (
    <Section title={t('notices.browser')}>
      <CheckField
        label={t('notices.browser_label')}
        hint={t(possible ? 'notices.browser_hint' : 'notices.browser_impossible')}
        checked={on}
        disabled={!possible}
        onChange={(wanted) => void change(wanted)}
        error={refused ? t('notices.browser_refused') : null}
      />
    </Section>
  )
}
