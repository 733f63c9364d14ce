/** 19 MiB, two passes, one lane: OWASP's first recommendation for argon2id, about 20 ms here. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hash of a random text that nobody kept: checking against it takes as long as against a real one, and never succeeds. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$BSQ0ocjbQnOhmiyC15f6DQ$9lw03cKDEZO29oviVF5LWA6mogNuXW9E85dyEnI7FvA'

/** argon2id hash in PHC format. Needs only be loaded when somebody signs in, so a start does not pay for it. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await import('@node-rs/argon2')
  return hash(normal(password), COST)
}

/** Whether the password is the one; takes the same time for an account that does not exist (`null`). */
export async function verifyPassword(password_hash: string | null, password: string): Promise<boolean> {
  const { verify } = await import('@node-rs/argon2')
  const matches = await verify(password_hash ?? NOBODY, normal(password))
  return password_hash !== null && matches
}

/** Keyboards of different systems compose the same character differently. */
function normal(password: string): string {
  return password.normalize('NFC')
}
