/** The row of a user of the role `rol_1`, for tests that need somebody in the database and no sign-in. */
export function plainUser(user_id: string) {
  return {
    user_id,
    username: user_id,
    username_folded: user_id,
    display_name: user_id,
    password_hash: null,
    role_id: 'rol_1',
    disabled_at: null,
    language: 'en' as const,
    personal_prompt: '',
    created_at: 1,
    last_seen_at: null,
  }
}
