import { useId } from 'react'
import { t } from '../../text/i18n.ts'

/** How a new user signs in for the first time. */
export type FirstSignIn = 'link' | 'password'

const CHOICES: readonly FirstSignIn[] = ['link', 'password']

interface SignInChoiceProps {
  readonly value: FirstSignIn
  onChange(value: FirstSignIn): void
}

/** A link to choose a password, or a password set now. */
export function SignInChoice({ value, onChange }: SignInChoiceProps) {
  const name = useId()
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{t('users.first_sign_in')}</legend>
      <div className="space-y-2">
        {CHOICES.map((choice) => (
          <label key={choice} className="flex items-start gap-2.5">
            <input
              type="radio"
              name={name}
              checked={choice === value}
              onChange={() => onChange(choice)}
              className="mt-1 size-4 shrink-0 accent-(--accent)"
            />
            <span className="min-w-0">
              <span className="block">{t(`users.first_${choice}`)}</span>
              <span className="text-muted block text-sm">{t(`users.first_${choice}_hint`)}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
