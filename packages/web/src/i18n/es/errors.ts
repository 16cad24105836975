import * as limits from "@parley/protocol/limits";
import { LOGO_BYTES, LOGO_SIDE } from "@parley/protocol/site";
import { channelNames, durationOf, errorDetail, fieldErrors, formatDetailTime, formatLimit } from "../error-message.ts";
import type { LanguageErrors } from "../texts.ts";
import { ES_EMOJI_ERRORS } from "./emoji-errors.ts";
import { FIELDS } from "./fields.ts";
import { ES_MAIL_ERRORS } from "./mail-errors.ts";
import { grouped, plural } from "./numbers.ts";

const RELOAD = "Esta página no está al día. Recárgala.";
const UNREACHABLE = "No se puede llegar al servidor. Comprueba tu conexión.";
const UNITS = { second: ["segundo", "segundos"], minute: ["minuto", "minutos"], hour: ["hora", "horas"] } as const;

/** Spanish error texts, for the codes that users of the page can meet. */
export const ES_ERRORS: LanguageErrors = {
  wait(text, seconds) {
    const { count, unit } = durationOf(seconds);
    const [one, other] = UNITS[unit];
    return `${text} Vuelve a intentarlo en ${plural(count, one, other)}.`;
  },
  broken: (error) => `Algo ha fallado: ${error}`,
  codes: {
    network_error: UNREACHABLE,
    timeout: UNREACHABLE,
    invalid_answer: ({ status }) =>
      `La respuesta no venía del servidor${status === 0 ? "" : ` (estado ${status})`}. Vuelve a intentarlo.`,
    connection_lost: "Se perdió la conexión.",
    connection_closed: "Se cerró la conexión.",
    session_over: "Tu sesión ha terminado. Vuelve a iniciar sesión.",
    access_ended: "Ya no tienes acceso a este canal.",

    invalid_json: `Esto no es JSON válido o tiene más de ${limits.JSON_DEPTH} niveles de anidamiento.`,
    invalid_request(error) {
      const fields = fieldErrors(error).flatMap(({ path }) => FIELDS[path] ?? []);
      return fields.length === 0
        ? "El servidor no aceptó esto."
        : `El servidor no aceptó esto; revisa: ${[...new Set(fields)].join(", ")}.`;
    },
    invalid_id: "Este elemento no existe.",
    invalid_cursor: "Este lugar de la lista ya no existe. Recarga la página.",
    no_fields: "No se cambió nada.",
    idempotency_conflict: "Esto ya se envió con otro contenido. Cambia algo y vuelve a enviarlo.",
    session_required: "Inicia sesión primero.",
    forbidden: "No tienes permiso para hacer esto.",
    cross_site: "El servidor no acepta peticiones desde esta dirección. Abre la página en la dirección del servidor.",
    not_found: RELOAD,
    method_not_allowed: RELOAD,
    unsupported_media_type: RELOAD,
    unknown_command: RELOAD,
    body_too_large: (error) => `Es demasiado grande. El límite es ${formatLimit(error, limits.BODY_BYTES)}.`,
    rate_limited: "Demasiados intentos.",
    too_many_sockets: "Tienes demasiadas pestañas de esta página abiertas. Cierra una primero.",
    too_many_channels: "Tienes demasiados canales abiertos. Sal de uno primero.",
    internal_error: "Algo ha fallado en el servidor.",
    overloaded: "El servidor está ocupado.",
    storage_full: "El almacenamiento del servidor está lleno, así que no puede guardar nada.",
    storage_unavailable: "La base de datos del servidor no responde.",
    draining: "El servidor se está reiniciando.",
    not_ready: "El servidor todavía no está listo.",

    invalid_username: `Los nombres de usuario tienen de ${limits.USERNAME_MIN} a ${limits.USERNAME_MAX} caracteres: letras, cifras, _ . y -, y empiezan por una letra o una cifra. No puedes usar un nombre reservado ni uno que se le parezca.`,
    weak_password(error) {
      const [min, max] = [errorDetail(error, "min_length"), errorDetail(error, "max_length")];
      if (typeof min === "number" && typeof max === "number")
        return `La contraseña debe tener de ${min} a ${max} caracteres.`;
      if (errorDetail(error, "reason") === "common")
        return "Esta contraseña es muy común y fácil de adivinar. Elige otra.";
      return "La contraseña es demasiado corta, demasiado larga o demasiado común. Elige otra.";
    },
    invalid_email: "Escribe una dirección de correo válida.",
    invalid_invite_code: "Este código de invitación no es válido. Compruébalo o pide uno nuevo.",
    invitation_not_found: "Esta invitación no existe.",
    invitation_limit_reached: "Tienes 20 invitaciones que aún sirven. Revoca una primero.",
    invitation_expired: "Esta invitación ha caducado. Pide una nueva.",
    invitation_used_up: "Esta invitación está agotada. Pide una nueva.",
    invitation_revoked: "Esta invitación se ha revocado. Pide una nueva.",
    invite_code_required: "Necesitas un código de invitación para crear una cuenta aquí. Pídeselo a un miembro.",
    password_login_off: "Aquí no puedes iniciar sesión con contraseña. Usa el botón de arriba.",
    oidc_disabled: "Este servidor no tiene inicio de sesión único.",
    oidc_denied: "No se inició tu sesión: lo cancelaste o no tienes permiso para usar este chat.",
    oidc_failed: "No se pudo iniciar la sesión. Vuelve a intentarlo. Si falla otra vez, avisa a un administrador.",
    domain_not_allowed: "Tu dirección de correo no puede iniciar sesión aquí o no está verificada.",
    signup_closed: "Todavía no tienes una cuenta aquí. Pídesela a un administrador.",
    identity_taken: "Este inicio de sesión ya está vinculado a otra cuenta.",
    identity_not_found: "Este inicio de sesión ya se quitó.",
    last_login_method: "Es tu única forma de iniciar sesión. Añade otra antes de quitarla.",
    invalid_logout_token: RELOAD,
    registration_closed: "Aquí no se pueden crear cuentas. Pídele una a un administrador.",
    blocked: "Este usuario no acepta mensajes ni invitaciones tuyos.",
    user_blocked: "Has bloqueado a esta persona. Desbloquéala primero.",
    direct_not_allowed: "Este agente no acepta mensajes directos tuyos. Menciónalo en un canal.",
    block_limit_reached: "Has llegado al límite de personas bloqueadas. Desbloquea a alguien primero.",
    username_taken: "Este nombre está ocupado o se parece demasiado a otro. Elige uno distinto.",
    agent_name_required: "Escribe un nombre para el agente.",
    invalid_agent_name: `Los nombres de agente tienen de 1 a ${limits.AGENT_NAME_MAX} caracteres de una misma escritura: letras, cifras, espacios, _ . y -, y empiezan y terminan con una letra o una cifra. No puedes usar un nombre reservado ni uno que se le parezca.`,
    agent_name_taken: "Este nombre está ocupado o se parece demasiado a otro. Elige uno distinto.",
    invalid_credentials: "El nombre de usuario o la contraseña no son correctos.",
    account_suspended: "Esta cuenta está suspendida.",
    user_not_found: "Este usuario no existe.",
    username_required: "Escribe un nombre de usuario.",
    claim_link_expired:
      "Este enlace ya no sirve. Puede haber caducado, haberse usado o haber sido reemplazado. Pide uno nuevo a un administrador.",
    session_not_found: "Esta sesión ya ha terminado.",
    second_factor_required: "Escribe el código de tu segundo factor.",
    second_factor_setup_required: "Este sitio exige un segundo factor. Configura uno primero.",
    wrong_code: "Este código no es correcto o ya se usó. Espera el siguiente y vuelve a intentarlo.",
    totp_enabled: "Ya tienes una app de autenticación. Quítala primero.",
    totp_not_enabled: "No tienes una app de autenticación.",
    totp_setup_expired: "Ha pasado demasiado tiempo. Empieza de nuevo.",
    passkey_not_found: "Esta llave de acceso ya no existe.",
    passkey_rejected: "Aquí no se conoce esta llave de acceso o no se pudo verificar.",
    passkey_exists: "Esta llave de acceso ya está en tu lista.",
    passkey_limit_reached: "No puedes tener más llaves de acceso. Quita una primero.",
    passkeys_unavailable: "Las llaves de acceso no funcionan en esta dirección.",
    invalid_signature: "Esta firma no es válida. Vuelve a copiarla de tu billetera.",
    challenge_not_found: "El servidor ya no conoce este texto. Empieza de nuevo.",
    challenge_used: "Este texto ya se firmó. Empieza de nuevo.",
    challenge_expired: "Ha pasado demasiado tiempo. Empieza de nuevo.",
    wrong_signature: "La firma es de otra billetera o de otro texto.",
    avatar_not_found: "Este usuario no tiene imagen.",
    reauth_required: (error) =>
      errorDetail(error, "wrong") === true
        ? "Esta no es tu contraseña actual."
        : "Escribe tu contraseña actual para confirmar este cambio.",
    invalid_evm_address: "Escribe una dirección EVM válida.",
    invalid_sol_address: "Escribe una dirección de Solana válida.",
    invalid_avatar: `La imagen debe ser PNG, JPEG, GIF o WebP de ${limits.AVATAR_SIDE} × ${limits.AVATAR_SIDE} píxeles como máximo; un GIF, de ${limits.GIF_FRAMES} fotogramas como máximo.`,
    avatar_too_large: (error) =>
      `La imagen es demasiado grande. El límite es ${formatLimit(error, limits.AVATAR_BYTES)}.`,
    insufficient_balance: "No tienes suficientes puntos.",
    points_on_hold(error) {
      const available = errorDetail(error, "available");
      const rest = "Una cuenta nueva puede gastar sus puntos iniciales después de sus primeras 24 horas.";
      return typeof available === "string" ? `Ahora puedes gastar ${grouped(BigInt(available))} puntos. ${rest}` : rest;
    },
    owns_channels(error) {
      const names = channelNames(error).map((name) => `#${name}`);
      return `Transfiere o elimina primero los canales de esta cuenta${names.length === 0 ? "" : `: ${names.join(", ")}`}.`;
    },
    last_owner: "Es el único propietario del sitio. Añade otro primero.",
    user_suspended: "La cuenta de este usuario está suspendida.",
    agent_not_found: "Este agente no existe.",
    key_not_found: "Esta clave no existe.",
    agent_paused: "Este agente está en pausa. Reanúdalo primero.",
    setup_code_not_found: "Este código de configuración no existe. Pide uno nuevo al propietario del agente.",
    setup_code_limit_reached:
      "Este agente tiene 5 códigos de configuración que aún sirven. Usa uno o espera 10 minutos.",
    setup_code_used: "Este código de configuración ya se usó. Pide uno nuevo al propietario del agente.",
    setup_code_expired: "Este código de configuración ha caducado. Pide uno nuevo al propietario del agente.",
    agent_limit_reached: "No puedes tener más agentes. Crea un código de configuración para uno de ellos.",

    invalid_logo: `El logotipo debe ser PNG, JPEG o WebP de ${LOGO_SIDE} × ${LOGO_SIDE} píxeles como máximo.`,
    logo_too_large: (error) => `El logotipo es demasiado grande. El límite es ${formatLimit(error, LOGO_BYTES)}.`,
    setting_locked: (error) =>
      `Lo determina el entorno del servidor, con ${errorDetail(error, "variable") ?? "una variable"}.`,
    site_changed: "Mientras tanto, otra persona ha cambiado estos ajustes. Vuelve a abrir esta página para verlos.",

    channel_not_found: "Este canal no existe o no tienes acceso.",
    invalid_channel_name: `Los nombres de canal tienen de 1 a ${limits.CHANNEL_NAME_MAX} caracteres visibles de una misma escritura.`,
    slug_taken: "Otro canal ya tiene este nombre en los enlaces. Elige otro.",
    password_requires_private: "Solo un canal privado puede tener contraseña.",
    channel_limit_reached: `Puedes tener como máximo ${grouped(limits.CHANNELS_PER_USER)} canales.`,
    open_red_packets: "Hay sobres rojos todavía abiertos o pagándose. Espera a que se cierren.",
    password_required: "Este canal tiene contraseña. Escríbela para unirte.",
    wrong_password: "La contraseña del canal no es correcta.",
    banned(error) {
      const until = formatDetailTime(error, "until", "es");
      return until === null ? "Te han expulsado de este canal." : `Te han expulsado de este canal hasta el ${until}.`;
    },
    member_not_found: "Este miembro no existe.",
    member_banned: "Este usuario o agente está expulsado. Levanta primero la expulsión.",
    ban_not_found: "Aquí no hay nadie expulsado con este nombre.",
    channel_not_deleted: "Este canal no se ha eliminado.",
    restore_expired: `Este canal se eliminó hace más de ${limits.RESTORE_DAYS} días y no se puede restaurar.`,
    owner_cannot_leave: "El propietario no puede salir. Transfiere o elimina primero el canal.",
    not_a_member: "Únete primero al canal.",
    muted(error) {
      const until = formatDetailTime(error, "muted_until", "es");
      return until === null ? "Te han silenciado en este canal." : `Te han silenciado en este canal hasta el ${until}.`;
    },
    post_policy:
      "Aquí solo pueden escribir los administradores del canal; en un mensaje directo, solo sus dos participantes.",
    slow_mode: "Este canal está en modo lento.",
    agents_not_allowed: "Este canal no permite que los agentes hagan esto.",
    budget_exhausted: "Este agente ha agotado un presupuesto por hoy.",

    message_not_found: "Este mensaje no existe.",
    message_deleted: "Este mensaje se eliminó.",
    not_a_thread_root: "Este mensaje ya es una respuesta de un hilo.",
    thread_locked: "Este hilo está cerrado. Solo pueden responder los administradores del canal.",
    stream_not_found: "Este mensaje ya no se está escribiendo.",
    content_required: "Escribe primero un mensaje.",
    message_too_long: `Los mensajes pueden tener hasta ${grouped(limits.CONTENT_MAX)} caracteres.`,
    pin_limit_reached: `Este canal ya tiene ${limits.PINS_PER_CHANNEL} mensajes fijados. Deja de fijar uno primero.`,
    invalid_reaction: "Una reacción es un emoji o un nombre corto de a-z 0-9 _ + -.",
    reaction_limit_reached: `Este mensaje ya tiene ${limits.REACTIONS_PER_MESSAGE} reacciones distintas. Usa una de ellas.`,
    report_not_found: "Esta denuncia no existe.",
    report_closed: "Esta denuncia ya está cerrada.",
    query_required: "Escribe algo que buscar.",
    invalid_query: `Escribe de 1 a ${limits.SEARCH_QUERY_MAX} caracteres, con al menos una letra, una cifra o un emoji, y 20 palabras como máximo; un comienzo de palabra (como conf*) necesita al menos 3 caracteres.`,
    sticker_not_found: "Este sticker no existe.",
    file_too_large: (error) =>
      `Este archivo es demasiado grande. El límite es ${formatLimit(error, limits.STICKER_BYTES)}.`,
    upload_too_slow: "Tu conexión es demasiado lenta para este archivo. Vuelve a intentarlo en una red mejor.",
    file_not_found: "Este archivo ya no existe.",
    empty_file: "Este archivo está vacío.",
    type_not_allowed: "Este servidor no acepta archivos de este tipo.",
    image_limits: "La imagen tiene demasiados píxeles o fotogramas.",
    file_blocked: "El antivirus ha bloqueado este archivo.",
    quota_reached: "Tus archivos ocupan todo tu espacio. Elimina primero algunos mensajes con archivos.",
    file_already_sent: "Este archivo ya se envió. Vuelve a adjuntarlo.",
    file_not_ready: "Este archivo aún se está analizando. Vuelve a intentarlo en un momento.",
    not_a_gif: "Este archivo no es un GIF válido.",
    gif_limits: `Los stickers pueden tener como máximo ${limits.STICKER_SIDE} × ${limits.STICKER_SIDE} píxeles, ${limits.GIF_FRAMES} fotogramas y 16 millones de píxeles entre todos los fotogramas.`,
    sticker_limit_reached: `Ya tienes ${limits.STICKERS_PER_USER} stickers. Elimina uno primero.`,

    invalid_amount: "Esta cantidad es demasiado pequeña o no es un número. Escribe otra.",
    invalid_count: `Un sobre rojo puede tener de 1 a ${limits.PACKET_COUNT_MAX} partes.`,
    invalid_tx_hash: "Este no es un hash de transacción válido en esa cadena.",
    unsupported_chain: "Este servidor no ofrece sobres rojos en esa moneda y esa cadena.",
    share_too_small: "Las partes son demasiado pequeñas para cubrir lo que cuesta pagarlas.",
    not_eligible: (error) =>
      errorDetail(error, "reason") === "banned"
        ? "Te han expulsado de este canal, así que no puedes abrir este sobre rojo."
        : "Solo los miembros del canal pueden abrir este sobre rojo.",
    packet_not_found: "Este sobre rojo no existe.",
    packet_empty: "Ya se abrieron todas las partes de este sobre rojo.",
    packet_not_active: "Ahora no puedes hacer esto con el sobre rojo.",
    packet_claimed: "Alguien ya ha abierto este sobre rojo.",
    packet_expired: "Este sobre rojo ha caducado.",
    tx_already_used: "Esta transacción ya pagó otra cosa.",
    funding_mismatch: "Esta transacción no financia el sobre rojo.",
    wallet_address_required: (error) =>
      errorDetail(error, "reason") === "no_token_account"
        ? `Tu billetera aún no tiene una cuenta de ${errorDetail(error, "currency")}. Créala en la billetera y vuelve a abrir el sobre.`
        : "Verifica primero en tu perfil tu dirección de billetera en esa cadena.",
    payouts_unavailable: "Ahora no se pueden pagar partes en esa cadena.",
    payout_not_found: "Este pago no existe.",
    payout_not_failed: "Solo se puede reintentar un pago fallido.",

    invalid_price: "Este servidor no acepta pagos en esa moneda y esa cadena.",
    invalid_payment_signature: "Este comprobante de pago no es válido.",
    payment_required: "Esto requiere un pago.",
    tx_not_found: "Desde que se pidió el precio no ha aparecido esta transacción en la cadena.",
    tx_failed: "Esta transacción falló en la cadena, así que no se pagó nada.",
    wrong_recipient: "Esta transacción paga a otra dirección.",
    wrong_currency: "Esta transacción usa otra moneda o token.",
    amount_too_low: "Esta transacción paga menos que el precio.",
    payment_pending: "La transacción todavía no es definitiva. Indícala de nuevo más tarde y no vuelvas a pagar.",
    payment_already_used: "Esta transacción ya pagó otra cosa o es de otra persona.",
    resource_not_found: "No hay nada a la venta con este nombre.",
    resource_exists: "Ya hay algo a la venta con este nombre. Retíralo primero.",
    invalid_resource: "Lo que se vende debe ser un texto, un JSON o un archivo, y no estar vacío.",
    payments_not_configured: "Este servidor no acepta ahora pagos en esa cadena.",
    chain_unavailable: "La cadena no da ahora respuestas fiables.",

    invalid_url: "El servidor no puede usar esta dirección.",
    push_disabled: "Este servidor no envía mensajes push.",
    subscription_not_found: "Este navegador ya no recibe mensajes push.",

    invalid_display_name:
      "Un nombre visible tiene de 1 a 48 letras, cifras, espacios y . , ' - de un solo alfabeto. No puede parecerse al nombre de usuario de otra persona ni a uno reservado.",
    invalid_status: "Un estado es un texto corto de una línea y termina dentro de un año como máximo.",
    invalid_send_at: "Elige una hora entre 10 segundos y un año más tarde.",
    preview_not_found: "Esta vista previa ya no existe.",
    scheduled_not_found: "Este mensaje programado ya no existe.",
    scheduled_over: "Este mensaje ya no se puede cambiar: se envió, falló o se canceló.",
    scheduled_limit_reached: "Ya hay 100 mensajes tuyos en espera. Cancela uno primero.",
    saved_limit_reached: "Has guardado 1000 mensajes. Quita uno primero.",
    cannot_forward: "Este tipo de mensaje no se puede reenviar. Solo texto y archivos.",
    forward_not_editable: "Un mensaje reenviado no se puede cambiar. Elimínalo y reenvíalo de nuevo.",

    invalid_poll: "Una encuesta necesita una pregunta y de 2 a 10 opciones distintas, cada una en una línea.",
    unknown_option: "Esta encuesta no tiene esa opción.",
    one_option_only: "Solo puedes elegir una opción.",
    poll_not_found: "Esta encuesta ya no existe.",
    poll_closed: "Esta encuesta está cerrada.",

    invalid_remind_at: "Elige un momento entre 10 segundos y un año más tarde.",
    reminder_not_found: "Este recordatorio ya no existe.",
    reminder_over: "Este recordatorio ha terminado. Crea uno nuevo.",
    reminder_limit_reached: "Tienes 100 recordatorios en espera. Elimina uno primero.",
    here_not_allowed: "Solo los administradores del canal pueden llamar a todos con @here.",
    here_rate_limited: "Demasiados mensajes han llamado a todos con @here. Espera un poco o envíalo sin @here.",
    ...ES_EMOJI_ERRORS,
    ...ES_MAIL_ERRORS,

    webhook_not_found: "Este webhook ya no existe.",
    webhook_limit_reached: "Aquí no caben más webhooks. Elimina uno primero.",
    webhook_disabled: "Este webhook está desactivado. Actívalo primero.",
    unknown_event: "Los webhooks no pueden recibir uno de estos eventos.",
    delivery_not_found: "Esta entrega ya no se conserva.",
    invalid_webhook_name:
      "El nombre de un webhook tiene de 1 a 50 caracteres visibles y no se parece al de un usuario o un agente.",
  },
};
