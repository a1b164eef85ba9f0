"""The weak readings of statements, in ranks: a rank is asked only if none before it applies."""

from sparring_plugins.web.pages.weak.checks.amount_readings import (
    read_amount,
    read_cost,
    read_only_amount,
    read_shape,
)
from sparring_plugins.web.pages.weak.checks.answers import Reader
from sparring_plugins.web.pages.weak.checks.claim_readings import read_claim, read_quantity
from sparring_plugins.web.pages.weak.checks.count_readings import read_count, read_none
from sparring_plugins.web.pages.weak.checks.described_readings import (
    read_columns,
    read_described,
    read_has_no,
    read_session,
)
from sparring_plugins.web.pages.weak.checks.detail_readings import read_detail
from sparring_plugins.web.pages.weak.checks.edge_readings import read_by_whom, read_edge
from sparring_plugins.web.pages.weak.checks.entry_readings import (
    read_card_value,
    read_entry,
    read_entry_state,
    read_first_ones,
    read_known_entry,
    read_place,
    read_question,
)
from sparring_plugins.web.pages.weak.checks.field_readings import read_field
from sparring_plugins.web.pages.weak.checks.headed_readings import read_headed, read_in_tab
from sparring_plugins.web.pages.weak.checks.item_readings import (
    read_choice,
    read_control,
    read_item,
)
from sparring_plugins.web.pages.weak.checks.kind_readings import read_kind
from sparring_plugins.web.pages.weak.checks.measured_readings import (
    read_order_by,
    read_superlative,
    read_times,
)
from sparring_plugins.web.pages.weak.checks.number_readings import (
    read_kind_with_number,
    read_numbers,
    read_single,
)
from sparring_plugins.web.pages.weak.checks.order_readings import read_order, read_sequence
from sparring_plugins.web.pages.weak.checks.own_readings import (
    read_own_box,
    read_own_choice,
    read_own_value,
    read_sum,
)
from sparring_plugins.web.pages.weak.checks.page_readings import (
    read_current,
    read_form,
    read_item_absence,
    read_location,
    read_no_message,
    read_outcome,
)
from sparring_plugins.web.pages.weak.checks.participle_readings import read_called, read_done
from sparring_plugins.web.pages.weak.checks.presence_readings import (
    read_absence,
    read_address,
    read_empty,
    read_listing,
    read_only,
    read_presence,
)
from sparring_plugins.web.pages.weak.checks.property_readings import (
    read_every,
    read_flag,
    read_property,
    read_row_words,
)
from sparring_plugins.web.pages.weak.checks.record_readings import read_record
from sparring_plugins.web.pages.weak.checks.state_readings import read_state
from sparring_plugins.web.pages.weak.checks.stock_readings import read_owned, read_stock
from sparring_plugins.web.pages.weak.checks.table_readings import (
    read_column,
    read_extreme,
    read_row,
    read_sorting,
)
from sparring_plugins.web.pages.weak.checks.text_readings import (
    read_heading,
    read_message,
    read_phrase,
    read_saying,
    read_sentence,
    read_together,
)
from sparring_plugins.web.pages.weak.checks.value_readings import read_told, read_value
from sparring_plugins.web.pages.weak.checks.written_readings import read_answered

READINGS: tuple[tuple[Reader, ...], ...] = (
    (
        read_address,
        read_headed,
        read_in_tab,
        read_sorting,
        read_sequence,
        read_extreme,
        read_column,
        read_quantity,
        read_superlative,
        read_order_by,
        read_times,
        read_shape,
        read_every,
        read_first_ones,
        read_location,
        read_current,
        read_item_absence,
        read_session,
        read_columns,
        read_answered,
        read_edge,
        read_by_whom,
        read_sum,
        read_stock,
        read_owned,
        read_single,
    ),
    (read_order, read_empty, read_only),
    (read_control, read_choice, read_described, read_has_no),
    (read_state, read_count, read_none),
    (read_message, read_no_message, read_outcome),
    (
        read_flag,
        read_kind,
        read_property,
        read_numbers,
        read_kind_with_number,
        read_row_words,
        read_value,
        read_told,
        read_field,
        read_row,
        read_amount,
        read_cost,
        read_only_amount,
        read_item,
        read_together,
        read_heading,
        read_saying,
        read_form,
        read_question,
        read_entry,
        read_card_value,
        read_entry_state,
        read_known_entry,
        read_place,
        read_record,
        read_claim,
        read_detail,
        read_called,
        read_done,
        read_own_value,
        read_own_box,
        read_own_choice,
    ),
    (read_sentence, read_phrase, read_listing),
    (read_absence, read_presence),
)
