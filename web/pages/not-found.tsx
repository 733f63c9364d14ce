import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Mark } from '../shell/frame/mark.tsx'
import { t } from '../text/i18n.ts'

/** Shown for an unknown address that no page answers. */
export function NotFoundPage() {
  return (
    <main className="flex min-h-dvh flex-col">
      <NotFound />
    </main>
  )
}

/** The same within the frame, where a page has no part of that name. */
export function NotFound() {
  useEffect(() => {
    document.title = `${t('not_found.title')} · ${t('app.name')}`
  }, [])
  return (
    <div className="flex min-h-full grow flex-col items-center justify-center px-6 pb-24 text-center">
      <Mark />
      <h1 className="mt-8 text-xl font-semibold">{t('not_found.title')}</h1>
      <p className="text-muted mt-2 max-w-sm">{t('not_found.text')}</p>
      <Link
        to="/"
        className="bg-accent text-on-accent hover:bg-accent-hover mt-6 inline-flex h-9 items-center rounded-md px-3.5 font-medium"
      >
        {t('not_found.home')}
      </Link>
    </div>
  )
}
