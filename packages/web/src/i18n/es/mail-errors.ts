/** Spanish texts of the errors of mail. */
export const ES_MAIL_ERRORS = {
  mail_off: "Este servidor no envía correo. Pide ayuda a un administrador.",
  no_address: "Tu cuenta no tiene correo electrónico. Escribe uno primero.",
  address_confirmed: "Ya has confirmado esta dirección.",
  confirm_link_expired:
    "Este enlace ya no sirve. Puede haber caducado, haberse usado o haber sido reemplazado. Pide uno nuevo en tu perfil.",
  address_in_use: "Otra cuenta ha confirmado esta dirección. Inicia sesión en ella y quítala, o escribe otra aquí.",
  reset_link_expired:
    "Este enlace ya no sirve. Puede haber caducado, haberse usado o haber sido reemplazado. Pide uno nuevo a un administrador.",
  unsubscribe_unknown: "Este enlace no pertenece a ninguna cuenta. Puede estar incompleto, o la cuenta se eliminó.",
};
