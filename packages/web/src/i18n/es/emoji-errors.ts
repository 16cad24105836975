/** Spanish texts of the errors of emoji. */
export const ES_EMOJI_ERRORS = {
  invalid_emoji_name:
    "Un nombre tiene de 2 a 32 de los caracteres a-z, 0-9, _ y -, y empieza por una letra o un dígito.",
  invalid_emoji_picture:
    "Elige un PNG, JPEG o WebP de 2048 píxeles como máximo, o un GIF de 256 KB y 256 píxeles como máximo.",
  emoji_not_allowed: "Aquí no puedes añadir emojis.",
  emoji_not_found: "Este emoji ya no existe.",
  emoji_exists: "Ya hay un emoji con este nombre, o con uno que se ve igual.",
  emoji_limit_reached: "No caben más emojis. Elimina uno primero.",
};
