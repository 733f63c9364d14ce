import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { t } from '../../text/i18n.ts'
import { IconButton } from '../controls/icon-button.tsx'

const WIDTH = { sm: 'max-w-sm', md: 'max-w-lg', lg: 'max-w-3xl' }

export interface DialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: ReactNode
  /** Buttons at the bottom, the primary one last. */
  actions?: ReactNode
  size?: 'sm' | 'md' | 'lg'
  /**
   * `drawer`: from the left edge, full height. `top`: near the upper edge, the content alone; the title is only read
   * out.
   */
  placement?: 'center' | 'drawer' | 'top'
  children?: ReactNode
}

export interface DialogBoxProps extends DialogProps {
  /** What had the focus before the dialog opened. */
  readonly opener: Element | null
}

/** A dialog as it is shown. Loaded by it when first needed. */
export function DialogBox({
  open,
  onOpenChange,
  title,
  description,
  actions,
  size = 'md',
  placement = 'center',
  children,
  opener,
}: DialogBoxProps) {
  const drawer = placement === 'drawer'
  const bare = placement === 'top'
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="animate-fade bg-scrim fixed inset-0 z-40" />
        <Radix.Content
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          onInteractOutside={(event) => {
            // A toast is above the dialog: using it must not close the dialog.
            // A toast that was clicked may already be gone by now.
            const { target } = event
            if (target instanceof Element && (!target.isConnected || target.closest('[data-toasts]')))
              event.preventDefault()
          }}
          // Without a field, focus the dialog itself: its first button is Close, which would show its tooltip.
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
          }}
          // Without a trigger, the focus would be lost. If something else has taken it in the meantime, it keeps it.
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            const lost = document.activeElement === null || document.activeElement === document.body
            if (lost && opener instanceof HTMLElement && opener.isConnected) opener.focus()
          }}
          className={classNames(
            'bg-raised border-line fixed z-40 outline-none flex flex-col shadow-lg',
            drawer
              ? 'animate-fade inset-y-0 left-0 w-[min(20rem,85vw)] border-r'
              : classNames(
                  'animate-fade inset-x-3 mx-auto rounded-xl border',
                  bare
                    ? 'top-[min(12dvh,6rem)] max-h-[76dvh] overflow-hidden'
                    : 'top-1/2 max-h-[85dvh] -translate-y-1/2',
                  WIDTH[size],
                ),
          )}
        >
          {bare ? (
            <>
              <Radix.Title className="sr-only">{title}</Radix.Title>
              {children}
            </>
          ) : (
            <>
              <header className="flex items-start gap-4 px-5 pt-4 pb-2">
                <div className="min-w-0 flex-1">
                  <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
                  {description !== undefined && (
                    <Radix.Description className="text-muted mt-1">{description}</Radix.Description>
                  )}
                </div>
                <Radix.Close asChild>
                  <IconButton label={t('dialog.close')} icon={X} size="sm" className="-mr-1.5" />
                </Radix.Close>
              </header>
              <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 pt-2 pb-5">{children}</div>
            </>
          )}
          {actions !== undefined && (
            <footer className="border-line flex flex-wrap justify-end gap-2 border-t px-5 py-3">{actions}</footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
