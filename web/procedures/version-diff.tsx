import { useState } from 'react'
import type { ProcedureVersion } from '../../contract/procedure-values.ts'
import { SelectField } from '../parts/controls/select-field.tsx'
import { DiffView } from '../parts/layout/diff-view.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { lineDiff } from './line-diff.ts'
import { versionText } from './version-text.ts'

interface VersionDiffProps {
  readonly version: ProcedureVersion
  /** Others to compare it with, the most likely first. */
  readonly others: readonly ProcedureVersion[]
}

/** What a version says that another does not. */
export function VersionDiff({ version, others }: VersionDiffProps) {
  const [chosen, setChosen] = useState(String(others[0]?.version ?? ''))
  const other = others.find((one) => String(one.version) === chosen) ?? others[0]
  if (other === undefined) return null
  const same = other.content_hash === version.content_hash
  return (
    <Section
      title={t('procedures.changes')}
      actions={
        <SelectField
          label={t('procedures.compare')}
          hideLabel
          value={String(other.version)}
          onChange={setChosen}
          options={others.map((one) => ({
            value: String(one.version),
            label: t('procedures.compared', { version: one.version }),
          }))}
        />
      }
    >
      {same ? (
        <p className="text-muted">{t('procedures.same')}</p>
      ) : (
        <DiffView diff title="" text={lineDiff(versionText(other), versionText(version))} />
      )}
    </Section>
  )
}
