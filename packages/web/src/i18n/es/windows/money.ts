import type { EN_MONEY } from "../../en/windows/money.ts";
import type { PartialTexts } from "../../texts.ts";

/** Spanish texts about coins, wallets and prices. */
export const ES_MONEY: PartialTexts<typeof EN_MONEY> = {
  chainNames: {
    "1": "Ethereum",
    "10": "Optimism",
    "56": "BNB Chain",
    "101": "Solana",
    "102": "Solana testnet",
    "103": "Solana devnet",
    "104": "un clúster privado de Solana",
    "137": "Polygon",
    "8453": "Base",
    "42161": "Arbitrum",
    "11155111": "Sepolia",
    "84532": "Base Sepolia",
  },
  chain: (id) => `Cadena EVM ${id}`,
  on: (coin, chain) => `${coin} en ${chain}`,
  wallet: {
    refused: "Rechazaste la solicitud en tu billetera. No se envió nada.",
    unknown_chain: "Tu billetera no conoce esta cadena. Añádela allí y vuelve a intentarlo.",
    wrong_chain: "Tu billetera sigue en otra cadena. Cámbiala y vuelve a intentarlo. No se envió nada.",
    no_answer: "Tu billetera no respondió. Vuelve a intentarlo.",
    other: (message) => `Tu billetera dice: ${message}`,
  },
  transfer: {
    to: "Enviar a",
    amount: (coin) => `Cantidad en ${coin}`,
    exactly: "Envía exactamente esta cantidad.",
    chain: "Cadena",
    token: "Token",
    reference: "Referencia",
    evmReference: "Si tu billetera admite datos (hex), escribe esto. Identifica la transferencia como tuya.",
    solanaReference: "Añade esta cuenta a la transferencia. La identifica como tuya.",
    solanaPay: "Abrir en una billetera de Solana",
    hash: "Hash de la transacción",
    signature: "Firma de la transacción",
    named: "Ya he pagado",
  },
  place: {
    price: (price) => `Unirse a este canal cuesta ${price}.`,
    readable: "Los miembros pueden leerlo todo y escribir.",
    closed: "Este canal tiene un precio, y este servidor no acepta pagos. Solo pueden leerlo sus miembros.",
    unknown: (amount, currency) => `${amount} unidades mínimas de ${currency}`,
    wallet: (price) => `Pagar ${price} con tu billetera`,
    byHand: "Pagar de otra forma",
    changed: (price) => `Ahora el precio es ${price}. Todavía no has pagado nada.`,
    handHint:
      "Envía exactamente esta cantidad desde cualquier billetera. Las últimas cifras identifican el pago como tuyo. Después indica aquí la transacción.",
    holds: (time) => `Este precio vale hasta el ${time}.`,
    again: "Pedir un precio nuevo",
    steps: { asked: "Precio indicado", sent: "Enviado", checked: "Confirmado", joined: "Dentro" },
    stepsName: "Progreso",
    waiting: {
      payment_pending: "Transacción encontrada. Esperando confirmaciones…",
      tx_not_found: "La transacción aún no está en la cadena. Comprobando de nuevo…",
      chain_unavailable: "La cadena no responde. Intentando de nuevo…",
      unreachable: "No se puede llegar al servidor. Intentando de nuevo…",
    },
    looking: "El servidor está comprobando la transacción…",
    staySafe: "Puedes cerrar esta página. La transacción queda guardada aquí hasta que te hayas unido.",
    finish: "Terminar de unirse",
    paidBefore: "Ya has pagado. Solo falta el último paso.",
    passwordAgain: "Vuelve a escribir la contraseña del canal.",
    joined: (name) => `Te has unido a ${name}.`,
    another: "Indicar otra transacción",
    refused: {
      tx_failed: "Esta transacción falló en la cadena, así que no se pagó nada. Solo perdiste la comisión.",
      wrong_recipient: "Esta transacción paga a otra dirección.",
      wrong_currency: "Esta transacción usa otra moneda o token.",
      amount_too_low: "Esta transacción paga menos que el precio.",
      payment_already_used: "Esta transacción ya pagó otra cosa.",
      not_yours: "Esta transacción es el pago de otra persona.",
      invalid_payment_signature: "Este no es un hash de transacción válido en esa cadena.",
      too_old: "Esta transacción es anterior a tu petición de precio, así que pagó otra cosa.",
      not_bound:
        "No podemos saber que esta transacción es tuya, porque no es por la cantidad exacta que se te mostró. Verifica en tu perfil la dirección desde la que pagaste y vuelve a indicar la transacción.",
      unknown_payment_id:
        "El servidor ya no conoce tu petición de precio. Pide un precio nuevo. Esta transacción no se ha usado.",
      challenge_used: "Otra transacción ya completó este pago. Esta no se ha usado.",
      no_challenge: "Tu petición de precio ha caducado. Pide un precio nuevo. Esta transacción no se ha usado.",
    },
  },
  price: {
    title: "Precio para unirse",
    free: "Gratis",
    amount: "Precio",
    hint: "Quien se une lo paga una vez. Va a la billetera que verificaste en tu perfil o, si no tienes ninguna, a la de este servidor.",
    gone: (currency, chain) => `${currency} en ${chain} (ya no se acepta)`,
    invalid: (decimals) =>
      decimals === 0
        ? "Escribe un número entero mayor que 0."
        : `Escribe un número mayor que 0 con ${decimals} decimales como máximo.`,
  },
};
