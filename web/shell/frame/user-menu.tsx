import { useNavigate, useRouter } from '@tanstack/react-router'
import { Keyboard, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { Menu, type MenuEntry } from '../../parts/controls/menu.tsx'
import type { SessionUser } from '../../client/queries.ts'
import { setTheme, THEMES, useTheme } from '../theme.ts'
import { type Destination, destinationsFor } from './destinations.ts'
import { helpChapter } from './help-chapter.ts'
import { openOverlay } from './overlay.ts'
import { useSignOut } from './use-sign-out.ts'

const THEME_ICON = { system: Monitor, light: Sun, dark: Moon }

/** The account menu: user, theme and sign-out. */
export function UserMenu({
  user,
  folded = false,
  phone = false,
}: {
  user: SessionUser
  folded?: boolean
  phone?: boolean
}) {
  const theme = useTheme()
  const signOut = useSignOut()
  const navigate = useNavigate()
  const router = useRouter()
  const go = (to: Destination['to']): void => {
    const chapter = to === '/help' ? helpChapter(router.state.location.href) : undefined
    void navigate({ to, search: chapter === undefined ? {} : { chapter } })
  }
  const name = user.display_name === '' ? user.username : user.display_name
  const entries: MenuEntry[] = [
    { heading: name, text: `${user.username} · ${user.role}` },
    'separator',
    ...THEMES.map((one) => ({
      label: t(`user.theme_${one}`),
      icon: THEME_ICON[one],
      checked: one === theme,
      onSelect: () => setTheme(one),
    })),
    'separator',
    ...destinationsFor(user)
      .filter(({ menu }) => phone && menu)
      .map(({ to, label, icon }) => ({ label: t(label), icon, onSelect: () => go(to) })),
    { label: t('account.title'), icon: UserRound, onSelect: () => void navigate({ to: '/account' }) },
    { label: t('keys.title'), icon: Keyboard, onSelect: () => openOverlay({ kind: 'keyboard_map' }) },
    { label: t('user.sign_out'), icon: LogOut, onSelect: () => void signOut() },
  ]
  const initial = <Initial name={name} small={phone} />
  return (
    <Menu
      side="top"
      align={phone ? 'end' : 'start'}
      entries={entries}
      trigger={
        phone ? (
          <button
            type="button"
            className="text-muted flex h-14 min-w-0 flex-col items-center justify-center gap-0.5 text-xs font-medium focus-visible:outline-offset-[-2px]"
          >
            {initial}
            <span className="max-w-full truncate px-0.5 max-[400px]:text-[0.6875rem] max-[400px]:tracking-tight">
              {t('account.title')}
            </span>
            <span className="sr-only">{name}</span>
          </button>
        ) : (
          <button
            type="button"
            className={classNames(
              'hover:bg-hover aria-expanded:bg-hover flex h-11 w-full items-center gap-2.5 rounded-md text-left',
              folded ? 'justify-center' : 'px-2',
            )}
          >
            {initial}
            <span className={folded ? 'sr-only' : 'min-w-0 flex-1'}>
              <span className="block truncate text-sm font-medium">{name}</span>
              <span className="text-muted block truncate text-xs">{user.role}</span>
            </span>
            <span className="sr-only">{t('user.menu')}</span>
          </button>
        )
      }
    />
  )
}

function Initial({ name, small }: { name: string; small: boolean }) {
  return (
    <span
      aria-hidden
      className={classNames(
        'bg-accent-soft text-accent inline-flex shrink-0 items-center justify-center rounded-full text-xs font-semibold',
        small ? 'size-5' : 'size-7',
      )}
    >
      {[...name][0]?.toUpperCase()}
    </span>
  )
}
