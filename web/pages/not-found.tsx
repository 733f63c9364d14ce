import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Mark } from '../shell/frame/mark.tsx'
import { t } from '../text/i18n.ts'

/** Shown for an unknown address. */
export function NotFoundPage() {
  useEffect(() => {
    document.title = `${t('not_found.title')} · ${t('app.name')}`
  }, [])
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-6 pb-24 text-center">
      <Mark />
      <h1 className="mt-8 text-xl font-semibold">{t('not_found.title')}</h1>
      <p className="text-muted mt-2 max-w-sm">{t('not_found.text')}</p>
      <Link
        to="/"
        className="bg-accent text-on-accent hover:bg-accent-hover mt-6 inline-flex h-9 items-center rounded-md px-3.5 font-medium"
      >
        {t('not_found.home')}
      </Link>
    </main>
  )
}
