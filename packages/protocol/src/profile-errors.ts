/** Errors of what users say about themselves (protocol §2), a part of `ERRORS`. */
export const PROFILE_ERRORS = {
  avatar_not_found: [404, "This user has no avatar."],
  invalid_evm_address: [400, "The EVM address is invalid."],
  invalid_sol_address: [400, "The Solana address is invalid."],
  invalid_avatar: [
    400,
    "An avatar must be a PNG, JPEG, GIF or WebP image of at most 1024 x 1024 pixels. A JPEG may have at most 100 scans; a GIF at most 120 frames and 16 million pixels in all.",
  ],
  avatar_too_large: [413, "An avatar must not exceed 256 KiB."],
  invalid_display_name: [
    400,
    "A display name has 1 to 48 letters, digits, spaces and . , ' - of one writing system, and looks like nobody else's username. details says what is wrong.",
  ],
  invalid_status: [
    400,
    "A status has a text of 1 to 80 visible characters, at most one emoji, and ends within 366 days, if at all. details says what is wrong.",
  ],
} as const;
