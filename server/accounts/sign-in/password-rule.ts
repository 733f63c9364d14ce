import { PASSWORD_MIN } from '../../../contract/credentials.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { fold } from '../../kernel/text/plain-text.ts'

/** Shorter names occur in too many legitimate passwords. */
const NAME_MIN = 4

/** The most common passwords that satisfy the length rule, folded. */
const COMMON = new Set(
  `1234567890 0123456789 0987654321 12345678910 123456789a a123456789 123456789q q123456789 1234567891 12345678901
  123123123123 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4t5 q1w2e3r4t5y6 1qaz2wsx3edc qazwsxedcrfv qwertyuiop qwertyuiop123
  qwerty12345 qwerty123456 qwerty1234 qwertz12345 asdfghjkl1 zxcvbnm123 password12 password123 password1234
  password12345 passwort123 passwort1234 p@ssw0rd123 p@ssword123 passw0rd123 motdepasse contrasena contraseña
  contrasena123 administrator administrador administrateur admin12345 admin123456 adminadmin welcome123 welcome1234
  letmein123 letmein1234 iloveyou12 iloveyou123 changeme123 changeme1234 abcdefghij abc1234567 abcd123456 abcd1234567
  football123 baseball123 sunshine123 princess123 superman123 dragon12345 monkey12345 computer123 internet123
  test123456 testtest123 qweasdzxc123 йцукенгшщз пароль1234 пароль12345`
    .split(/\s+/)
    .map(fold),
)

/** Rejects a password that is short, common, or made of the username. @throws {AppError} weak_password */
export function checkPassword(password: string, username: string): void {
  const folded = fold(password)
  const name = fold(username)
  if ([...password].length < PASSWORD_MIN) {
    throw new AppError('weak_password', say`Use at least ${PASSWORD_MIN} characters.`)
  }
  if (folded === name || (name.length >= NAME_MIN && folded.includes(name))) {
    throw new AppError('weak_password', say`The password must not contain the username.`)
  }
  if (COMMON.has(folded) || new Set(folded).size < 3) {
    throw new AppError(
      'weak_password',
      say`This password is among the first an attacker would try. Use a less common one.`,
    )
  }
}
