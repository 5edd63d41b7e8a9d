package farm

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// cents is the price of one piece.
const cents = 1990

// order takes money: 19.90 EUR a piece.
func order(key string, body []byte) Reply {
	input := struct {
		Item     string `json:"item"`
		Quantity int    `json:"quantity"`
	}{Item: "print", Quantity: 1}
	if err := json.Unmarshal(body, &input); err != nil || input.Quantity < 1 || input.Quantity > 100_000 {
		return Reply{Status: http.StatusUnprocessableEntity, Body: []byte(`{"error":"an order needs an item and a quantity of 1 to 100000"}`)}
	}
	total := input.Quantity * cents
	return encode(struct {
		OrderID  string      `json:"order_id"`
		Item     string      `json:"item"`
		Quantity int         `json:"quantity"`
		Amount   json.Number `json:"amount"`
		Currency string      `json:"currency"`
	}{"order-" + short(key), input.Item, input.Quantity, json.Number(fmt.Sprintf("%d.%02d", total/100, total%100)), "EUR"})
}

// render draws nothing, and takes long over it.
func render(key string, body []byte) Reply {
	input := struct {
		Scene  string `json:"scene"`
		Frames int    `json:"frames"`
	}{Scene: "untitled", Frames: 1}
	if err := json.Unmarshal(body, &input); err != nil || input.Frames < 1 {
		return Reply{Status: http.StatusUnprocessableEntity, Body: []byte(`{"error":"a render needs a scene and at least one frame"}`)}
	}
	return encode(struct {
		RenderID string `json:"render_id"`
		Scene    string `json:"scene"`
		Frames   int    `json:"frames"`
		File     string `json:"file"`
	}{"render-" + short(key), input.Scene, input.Frames, "render-" + short(key) + ".mp4"})
}

func encode(v any) Reply {
	text, err := json.Marshal(v)
	if err != nil {
		return Reply{Status: http.StatusInternalServerError, Body: []byte(`{"error":"the result could not be written"}`)}
	}
	return Reply{Body: text}
}

// short is the end of an id: the part of a UUIDv7 that is random.
func short(id string) string {
	return id[max(0, len(id)-8):]
}
