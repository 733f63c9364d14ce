import { useEffect, type ReactNode } from 'react'
import { Mark } from '../../shell/frame/mark.tsx'
import { t } from '../../text/i18n.ts'
import { LanguageChoice } from '../controls/language-choice.tsx'

/** Layout of sign-in and setup: outside the frame, one narrow column. */
export function Door({ title, intro, children }: { title: string; intro?: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${t('app.name')}`
  }, [title])
  return (
    <main className="flex min-h-dvh flex-col items-center px-4 pt-[max(2rem,12dvh)] pb-16">
      <Mark />
      <div className="bg-surface border-line mt-6 w-full max-w-sm rounded-xl border p-6 shadow-sm">
        <h1 className="text-xl font-semibold">{title}</h1>
        {intro !== undefined && <p className="text-muted mt-1">{intro}</p>}
        <div className="mt-5">{children}</div>
      </div>
      <LanguageChoice />
    </main>
  )
}
