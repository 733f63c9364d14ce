import { t } from '../../text/i18n.ts'
import { PasswordMeter } from './password-meter.tsx'
import { PASSWORD_MIN } from './password-strength.ts'
import { TextField, type TextFieldProps } from './text-field.tsx'

interface NewPasswordFieldProps extends Pick<TextFieldProps, 'label' | 'value' | 'error' | 'onChange' | 'autoFocus'> {
  /** What the password must not be like. */
  username: string
}

/** Where a password is chosen: says what it needs, and how strong it is while it is typed. */
export function NewPasswordField({ username, value, ...rest }: NewPasswordFieldProps) {
  return (
    <TextField
      {...rest}
      type="password"
      value={value}
      hint={
        <>
          {t('setup.password_hint', { count: PASSWORD_MIN })}
          <PasswordMeter password={value} username={username} />
        </>
      }
      autoComplete="new-password"
      maxLength={200}
      required
    />
  )
}
