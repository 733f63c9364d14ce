import { Keyboard } from 'lucide-react'
import { type Density, DENSITIES, setDensity, useDensity } from '../../shell/density.ts'
import { openOverlay } from '../../shell/frame/overlay.ts'
import { t } from '../../text/i18n.ts'
import { setSingleKeys, useSingleKeys } from '../../shell/keys/single-keys.ts'
import { Button } from '../../parts/controls/button.tsx'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { setTheme, type Theme, THEMES, useTheme } from '../../shell/theme.ts'

/** Appearance and shortcuts, stored per browser. */
export function Appearance() {
  const theme = useTheme()
  const density = useDensity()
  const keys = useSingleKeys()
  return (
    <>
      <Section title={t('preferences.appearance')}>
        <p className="text-muted mb-3 text-sm">{t('preferences.this_browser')}</p>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={t('preferences.theme')}
            value={theme}
            onChange={(next) => setTheme(next as Theme)}
            options={THEMES.map((one) => ({ value: one, label: t(`user.theme_${one}`) }))}
          />
          <SelectField
            label={t('preferences.density')}
            hint={t('preferences.density_hint')}
            value={density}
            onChange={(next) => setDensity(next as Density)}
            options={DENSITIES.map((one) => ({ value: one, label: t(`preferences.density_${one}`) }))}
          />
        </div>
        <p className="text-muted mt-3 text-sm">{t('preferences.motion')}</p>
      </Section>
      <Section title={t('keys.title')}>
        <CheckField label={t('keys.single')} hint={t('keys.single_hint')} checked={keys} onChange={setSingleKeys} />
        <Button size="sm" icon={Keyboard} className="mt-3" onClick={() => openOverlay({ kind: 'keyboard_map' })}>
          {t('preferences.show_keys')}
        </Button>
      </Section>
    </>
  )
}
